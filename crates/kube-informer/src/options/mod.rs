//! Everything that can be set of an informer, as one value.

mod check;
mod compare;
mod function;
mod namespaces;

#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use kube_core::DynamicObject;

pub(crate) use self::function::Function;
pub(crate) use self::namespaces::Namespaces;
use crate::kind::KindInfo;
use crate::object::FieldPath;
use crate::object::decoded::Shelf;
use crate::object::transform::{Transform, TypedTransform};
use crate::source::{Selection, StreamingList};

/// One line per option: documentation, name, type and default. It makes the field, the setter, the default, and the name
/// under which two values are said to differ. Options whose setter does more than store a value stand in `with_setter`,
/// and have it written out below.
macro_rules! options {
    (
        plain { $( $(#[$doc:meta])* $name:ident: $type:ty = $default:expr; )* }
        with_setter { $( $(#[$why:meta])* $other:ident: $other_type:ty = $other_default:expr; )* }
    ) => {
        /// What an informer holds and how it goes about it: namespaces, selectors, what is kept of an object, resync, waits,
        /// sizes. The defaults suit a production cluster.
        ///
        /// A builder contains one of these, and [`FactoryBuilder::options`](crate::FactoryBuilder::options) and
        /// [`InformerBuilder::options`](crate::InformerBuilder::options) change it; what is often needed has a method of the
        /// same name on the builder. An informer of a factory begins with the options of its factory.
        ///
        /// ```
        /// use std::time::Duration;
        /// use kube_informer::Options;
        ///
        /// let patient = Options::default().min_watch_timeout(Duration::from_secs(60)).page_size(200);
        /// assert_ne!(patient, Options::default());
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct Options {
            $( pub(crate) $name: $type, )*
            $( $(#[$why])* pub(crate) $other: $other_type, )*
        }

        impl Default for Options {
            fn default() -> Self {
                Self { $( $name: $default, )* $( $other: $other_default, )* }
            }
        }

        impl Options {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, value: $type) -> Self {
                    self.$name = value;
                    self
                }
            )*

            /// The names of the options in which two differ.
            pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
                let alike = [
                    $( (stringify!($name), self.$name == other.$name), )*
                    $( (stringify!($other), self.$other == other.$other), )*
                ];
                alike.into_iter().filter(|(_, alike)| !alike).map(|(name, _)| name).collect()
            }
        }
    };
}

options! {
    plain {
        /// How often handlers hear of every object again unless they say otherwise; zero, the default, for never.
        resync: Duration = Duration::ZERO;
        /// How many bytes of recently decoded objects are kept at hand; 4 MiB if not set, zero for none. Of
        /// [sensitive](Options::sensitive) kinds there are never any.
        decode_cache_bytes: usize = Shelf::DEFAULT_BYTES;
        /// The first wait after a request that failed. Default 0.8 s.
        ///
        /// A watch that brought something, or lasted for [`short_watch`](Options::short_watch), is resumed without this wait.
        backoff_first: Duration = Duration::from_millis(800);
        /// By how much each further wait is longer. Default 2.
        backoff_factor: f64 = 2.0;
        /// What a wait grows to, before jitter. Default 30 s.
        backoff_limit: Duration = Duration::from_secs(30);
        /// How much is added at random to a wait, as a share of it, so that many clients do not come back together.
        /// Default 0.5: a wait is up to half as long again.
        backoff_jitter: f64 = 0.5;
        /// For how long after the first of several failures the waits do not grow. Default 10 s.
        backoff_steady: Duration = Duration::from_secs(10);
        /// After how long without a failure the next wait is a first one again. Default 2 min.
        backoff_reset: Duration = Duration::from_secs(120);
        /// The longest `Retry-After` of a server that is obeyed. Default 10 min.
        retry_after_limit: Duration = Duration::from_secs(600);
        /// The shortest time a watch is asked to last; each one lasts between once and twice this, at random.
        /// Default 5 min.
        ///
        /// A shorter time is taken as it is (client-go quietly ignores anything below 5 min): some load balancers cut
        /// connections after a minute, and a watch that ends before that ends cleanly and costs nothing. At least 1 s.
        min_watch_timeout: Duration = Duration::from_secs(300);
        /// Whether lists are streamed. Default [`StreamingList::Auto`].
        streaming_list: StreamingList = StreamingList::Auto;
        /// In each such time a streamed list has to bring [`streaming_objects`](Options::streaming_objects) new objects or
        /// its end, or LIST is used instead. Default 30 s.
        streaming_timeout: Duration = Duration::from_secs(30);
        /// How many objects that it has not brought before a streamed list has to bring in each
        /// [`streaming_timeout`](Options::streaming_timeout). Default 100.
        streaming_objects: u32 = 100;
        /// How long a server that cannot stream lists is not asked to again. Default 1 h.
        fallback_memory: Duration = Duration::from_secs(3600);
        /// How long a LIST may bring no byte. Default 75 s: servers give up after 60 s.
        list_silence: Duration = Duration::from_secs(75);
        /// How long one LIST request, or one page, may take in all. Default 5 min: a server's own limit is a minute unless
        /// its administrator says otherwise.
        list_limit: Duration = Duration::from_secs(300);
        /// How much longer than its timeout a watch may be without a byte before it counts as dead. Default 15 s.
        watch_grace: Duration = Duration::from_secs(15);
        /// How long a watch that has brought a bookmark, which come every minute, may be without a byte. Default 150 s.
        bookmark_silence: Duration = Duration::from_secs(150);
        /// How rarely a kind that the server does not serve is asked for in the end, up to twice this at random. The waits
        /// grow to this as after any failure. Default 30 s.
        gone_retry: Duration = Duration::from_secs(30);
        /// How often an account that may list but not watch lists, up to twice this at random. Default 30 s.
        poll: Duration = Duration::from_secs(30);
        /// The longest random wait before a watch that ended is resumed, so that watches which end together do not come back
        /// in the same instant. Default 20 ms.
        resume_jitter: Duration = Duration::from_millis(20);
        /// The longest random wait before a list is read again because the watch cannot be resumed: what many processes
        /// learn at the same time they must not do at the same time. First lists and `refresh()` do not wait. Default 1 s.
        relist_spread: Duration = Duration::from_secs(1);
        /// How many requests one scope may send at once. Default 10. Pages of a list that goes forward and the first list
        /// of a scope do not count; questions about single objects and `refresh()` have a second allowance of the same size.
        request_burst: u32 = 10;
        /// After how long one more request may be sent. Default 1 s.
        request_interval: Duration = Duration::from_secs(1);
        /// How many times a watch that cannot be resumed may make one scope be listed again in short order. Default 5.
        relist_burst: u32 = 5;
        /// After how long it may happen once more. Default 10 s.
        relist_interval: Duration = Duration::from_secs(10);
        /// A watch that ends before this time and brought nothing new counts as a failure. Default 1 s.
        short_watch: Duration = Duration::from_secs(1);
        /// The largest JSON document, an object of a list or an event of a watch, in bytes. Default 32 MiB.
        document_limit: usize = 32 << 20;
        /// How many bytes of objects wait between the network and the store. Default 8 MiB.
        queue_bytes: usize = 8 << 20;
        /// How many events wait between the network and the store. Default 4,096.
        queue_entries: usize = 4096;
        /// How many errors of a watch in a row, without a newer event or bookmark in between, make the list be read again; fewer
        /// resume. Default 3.
        errors_to_relist: u32 = 3;
        /// How many watches in a row that die without a byte make the list be read again; fewer are opened again. Default 2.
        silences_to_relist: u32 = 2;
        /// How many streamed lists in a row may end before they are complete; after the last of them LIST is used instead.
        /// Default 3.
        early_ends_to_list: u32 = 3;
        /// The shortest period of a resync; handlers that ask for a shorter one get this. Default 1 s.
        minimum_resync: Duration = Duration::from_secs(1);
        /// How long a stop waits for calls of handlers that are in progress. Default 10 s.
        ///
        /// [`SharedInformer::shutdown`](crate::SharedInformer::shutdown), which also delivers what waits, has a timeout of its own.
        stop_patience: Duration = Duration::from_secs(10);
        /// A call of a handler that keeps the thread for longer counts as slow, and the first is logged. Default 100 ms.
        slow_call: Duration = Duration::from_millis(100);
        /// How long the watch is given to bring what is [waited for](crate::SharedInformer::wait_for) before the object is
        /// asked for on its own. Default 500 ms.
        lookup_after: Duration = Duration::from_millis(500);
    }
    with_setter {
        namespaces: Namespaces = Namespaces::Inherited(None);
        labels: Option<String> = None;
        fields: Option<String> = None;
        page_size: Option<u32> = None;
        name: Option<Arc<str>> = None;
        /// The server is asked for `PartialObjectMetadata`. Follows from the type that was asked for.
        metadata_only: bool = false;
        keep_managed_fields: bool = false;
        sensitive: bool = false;
        decoded: bool = false;
        exclusive: bool = false;
        drop_fields: Vec<DroppedField> = Vec::new();
        transform: Option<AnyTransform> = None;
        tweak: Option<Function<Tweak>> = None;
    }
}

/// A function of the user's that says which objects of a kind are asked for.
pub(crate) type Tweak = dyn Fn(&KindInfo, &mut Selection) + Send + Sync;

/// A field that is left out, as it was written; what is wrong with the path is said when the options are checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DroppedField {
    pub(crate) text: String,
    pub(crate) path: Result<FieldPath, String>,
}

/// A transform, and whether it takes objects of any kind: only then it fits the metadata of objects as well.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AnyTransform {
    pub(crate) function: Function<dyn Transform>,
    pub(crate) any_kind: bool,
}

/// What is looked at.
impl Options {
    /// Looks at one namespace only. Called again, at several: they become one cache, fed by one watch each, and others can
    /// be [added](crate::SharedInformer::add_namespace) and removed later.
    ///
    /// Kinds of the whole cluster are not affected by the namespaces of their factory. A kind that names namespaces of its
    /// own, or [all](Self::all_namespaces), goes by those instead of its factory's. Of a kind whose scope is not known it is
    /// assumed that it lives in namespaces, until somebody asks for it who knows better.
    #[must_use]
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        self.namespaces([namespace])
    }

    /// Looks at these namespaces only, in addition to those named before. Perhaps at none: then the cache stays empty until
    /// one is [added](crate::SharedInformer::add_namespace).
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.namespaces.add(namespaces.into_iter().map(Into::into));
        self
    }

    /// Looks at all namespaces, which is the default unless the factory says otherwise.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces = Namespaces::All;
        self
    }

    /// Only objects whose labels match, in the server's syntax: `app=web,tier in (front, back)`. Empty for all.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into()).filter(|selector| !selector.is_empty());
        self
    }

    /// Only objects whose fields match, in the server's syntax: `spec.nodeName=node-1`. Empty for all.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into()).filter(|selector| !selector.is_empty());
        self
    }

    /// How many objects a page of a list has. Without it lists that a server's cache can answer are not paged,
    /// the others have pages of 500.
    #[must_use]
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = Some(objects);
        self
    }

    /// A name for metrics and logs; the resource if not set. Give two of one kind names of their own: while both live, the
    /// metrics of the second are those of `name-2`.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Options {
    /// Whether all objects of a scope are looked at.
    pub(crate) fn selects_all(&self) -> bool {
        self.labels.is_none() && self.fields.is_none()
    }
}

/// What is kept of an object.
impl Options {
    /// Keeps `metadata.managedFields`, which are otherwise cut out: they are often a third of an object.
    #[must_use]
    pub fn keep_managed_fields(mut self) -> Self {
        self.keep_managed_fields = true;
        self
    }

    /// Keeps every object decoded as well: for code that reads whole objects of all of the cache often. Costs memory.
    #[must_use]
    pub fn decoded(mut self) -> Self {
        self.decoded = true;
        self
    }

    /// Treats the kind like Secrets, of which all this is true without being asked for. Of what is in an object
    ///
    /// - nothing is in an error, a log, a metric, a status or a `Debug` of ours. Errors name the place in the JSON, and
    ///   repeat what a server says of a request that it refuses. They do not repeat the message of a panic in your handlers,
    ///   index functions and transforms, nor why these refused an object;
    /// - nothing is kept but with the object itself: it is not packed, which would leave traces in the packer, no
    ///   dictionary is learned from it, its labels are not shared with other objects, what was decoded is not kept at hand
    ///   ([`decode_cache_bytes`](Self::decode_cache_bytes) counts as zero), and our buffers are overwritten after use. When
    ///   the object is gone from the cache and from what you hold, so is all of this, index values included.
    ///
    /// Memory that is given back to the allocator is not overwritten, neither ours nor that of the HTTP and TLS
    /// connection. And the panic hook of your program, which by default prints to the standard error stream, is called for a
    /// panic before we are.
    #[must_use]
    pub fn sensitive(mut self) -> Self {
        self.sensitive = true;
        self
    }

    /// Drops a field from every object before it is stored, without decoding it.
    ///
    /// A path such as `spec.containers[*].env` or `metadata.annotations["example.com/large"]`.
    #[must_use]
    pub fn drop_field(mut self, path: impl Into<String>) -> Self {
        let text = path.into();
        let path = text.parse::<FieldPath>().map_err(|error| error.to_string());
        self.drop_fields.push(DroppedField { text, path });
        self
    }

    /// Changes every object before it is stored, once per version, whatever its kind. An error leaves the object out and is
    /// reported. A kind with a [transform of its own type](crate::InformerBuilder::transform) has that one instead.
    ///
    /// Name, namespace, uid and resource version stay what they were, whatever the function does. To leave something out
    /// [`drop_field`](Self::drop_field) is far cheaper: it decodes nothing.
    #[must_use]
    pub fn transform<F, E>(mut self, function: F) -> Self
    where
        F: Fn(&mut DynamicObject) -> Result<(), E> + Send + Sync + 'static,
        E: Display + 'static,
    {
        let captures = size_of::<F>() > 0;
        let transform = Arc::new(TypedTransform::new(function));
        self.transform =
            Some(AnyTransform { function: Function::of::<F>(transform, captures), any_kind: true });
        self
    }
}

/// Who is served, and how.
impl Options {
    /// Has the first handler that is added called by the informer itself, right after each commit, instead of by a task of
    /// its own: an informer for one user, client-go's `NewInformer`. Handlers that are added later are as usual.
    ///
    /// While the handler runs nothing newer is applied. So what it reads in the cache is the state that it is called for,
    /// except that other keys of the same batch may be further. A slow handler slows the informer down: this is for quick
    /// bookkeeping, and an async handler is waited for.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Says which objects are asked for, kind by kind; what is said of the kind itself comes after it. Of use for a factory.
    ///
    /// What it says of a kind is kept: informers that follow one that was stopped ask for the same. It is called again for
    /// each [named](crate::Access::named) variant that is asked for, and may be called by several who ask for a kind for the
    /// first time at the same moment, of which one result counts.
    #[must_use]
    pub fn tweak<F>(mut self, function: F) -> Self
    where
        F: Fn(&KindInfo, &mut Selection) + Send + Sync + 'static,
    {
        let captures = size_of::<F>() > 0;
        self.tweak = Some(Function::of::<F>(Arc::new(function), captures));
        self
    }
}

/// The methods that both builders have under the same name as [`Options`]: what people set most often.
macro_rules! option_setters {
    () => {
        /// See [`Options::resync`].
        pub fn resync(self, period: std::time::Duration) -> Self {
            self.options(|options| options.resync(period))
        }

        /// See [`Options::namespace`].
        pub fn namespace(self, namespace: impl Into<String>) -> Self {
            self.options(|options| options.namespace(namespace))
        }

        /// See [`Options::namespaces`].
        pub fn namespaces<N: Into<String>>(self, namespaces: impl IntoIterator<Item = N>) -> Self {
            self.options(|options| options.namespaces(namespaces))
        }

        /// See [`Options::labels`].
        pub fn labels(self, selector: impl Into<String>) -> Self {
            self.options(|options| options.labels(selector))
        }

        /// See [`Options::fields`].
        pub fn fields(self, selector: impl Into<String>) -> Self {
            self.options(|options| options.fields(selector))
        }

        /// See [`Options::drop_field`].
        pub fn drop_field(self, path: impl Into<String>) -> Self {
            self.options(|options| options.drop_field(path))
        }

        /// See [`Options::keep_managed_fields`].
        pub fn keep_managed_fields(self) -> Self {
            self.options(Options::keep_managed_fields)
        }
    };
}
pub(crate) use option_setters;

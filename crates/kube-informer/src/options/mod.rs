//! Everything that can be set on an informer, as one value.

mod check;
mod compare;
mod function;
mod namespaces;
mod rules;
mod select;

#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use informer_core::object::fields::FieldPath;
use informer_core::object::transform::{Transform, TypedTransform};
use kube_core::DynamicObject;

pub(crate) use self::function::Function;
pub(crate) use self::namespaces::Namespaces;
use crate::kind::KindInfo;
use crate::object::DecodeCache;
use crate::source::{Selection, StreamingList};

/// One line per option: documentation, name, type and default. The macro makes the field, the setter, the default, and
/// the name that is used in errors about differing options. Options whose setter does more than store a value stand in
/// `with_setter`; their setters are written out below.
macro_rules! options {
    (
        plain { $( $(#[$doc:meta])* $name:ident: $type:ty = $default:expr; )* }
        with_setter { $( $(#[$why:meta])* $other:ident: $other_type:ty = $other_default:expr; )* }
    ) => {
        /// The options of an informer: namespaces, selectors, which parts of an object are kept, resync, waits, sizes.
        /// The defaults suit a production cluster.
        ///
        /// Each builder contains an `Options` value, which [`FactoryBuilder::options`](crate::FactoryBuilder::options)
        /// and [`InformerBuilder::options`](crate::InformerBuilder::options) change; the options needed most often also
        /// have a method of the same name on the builder. An informer of a factory begins with the options of its
        /// factory.
        ///
        /// ```
        /// use std::time::Duration;
        /// use kube_informer::Options;
        ///
        /// let patient = Options::default().min_watch_timeout(Duration::from_secs(60)).page_size(200);
        /// assert_ne!(patient, Options::default());
        /// ```
        ///
        /// Two values are equal if all their options are. Functions are equal if they are written at the same place in the
        /// source, whatever they have captured.
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

            /// The names of the options in which two values differ.
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
        /// How often a handler is called again for every object in the cache, unless the handler sets its own period;
        /// zero, the default, means never.
        resync: Duration = Duration::ZERO;
        /// Where objects stay decoded that are read again and again. By default all informers of the process share 64 MiB;
        /// `DecodeCache::new(0)` keeps none. [Sensitive](Options::sensitive) kinds are never kept.
        decode_cache: DecodeCache = DecodeCache::default();
        /// The first wait after a request that failed. Default 0.8 s.
        ///
        /// A watch that received an event, or lasted for [`short_watch`](Options::short_watch), is resumed without this
        /// wait.
        backoff_first: Duration = Duration::from_millis(800);
        /// The factor by which each further wait is longer. Default 2.
        backoff_factor: f64 = 2.0;
        /// The longest wait, before jitter. Default 30 s.
        backoff_limit: Duration = Duration::from_secs(30);
        /// How much is added at random to a wait, as a fraction of the wait, so that many clients do not retry at the
        /// same moment. Default 0.5: a wait is up to 1.5 times as long.
        backoff_jitter: f64 = 0.5;
        /// For how long after the first of several failures the waits do not grow. Default 10 s.
        backoff_steady: Duration = Duration::from_secs(10);
        /// After this time without a failure the waits start again at `backoff_first`. Default 2 min.
        backoff_reset: Duration = Duration::from_secs(120);
        /// The longest `Retry-After` of a server that the informer obeys. Default 10 min.
        retry_after_limit: Duration = Duration::from_secs(600);
        /// The shortest `timeoutSeconds` of a watch; each watch request names a random time between once and twice
        /// this. Default 5 min.
        ///
        /// A time below 5 min is used as it is (client-go silently ignores it): some load balancers cut connections
        /// after a minute, and a watch that ends before that ends cleanly and costs nothing. At least 1 s.
        min_watch_timeout: Duration = Duration::from_secs(300);
        /// Whether lists are streamed. Default [`StreamingList::Auto`].
        streaming_list: StreamingList = StreamingList::Auto;
        /// In each period of this length a streamed list has to deliver
        /// [`streaming_objects`](Options::streaming_objects) new objects or end; otherwise the informer uses LIST
        /// instead. Default 30 s.
        streaming_timeout: Duration = Duration::from_secs(30);
        /// How many new objects a streamed list has to deliver in each
        /// [`streaming_timeout`](Options::streaming_timeout). Default 100.
        streaming_objects: u32 = 100;
        /// After a server turned out not to support streamed lists, or ended one that had brought objects, how long the
        /// informer uses LIST before it tries a streamed list again. Default 1 h.
        fallback_memory: Duration = Duration::from_secs(3600);
        /// How long a LIST may receive no byte. Default 75 s: servers give up after 60 s.
        list_silence: Duration = Duration::from_secs(75);
        /// How long one LIST request, or one page, may take in all. Default 5 min: a server's own limit is a minute unless
        /// its administrator says otherwise.
        list_limit: Duration = Duration::from_secs(300);
        /// A watch counts as dead after its timeout plus this time without a byte. Default 15 s.
        watch_grace: Duration = Duration::from_secs(15);
        /// How long a watch that has received a bookmark may receive no byte before it counts as dead; servers send a
        /// bookmark every minute. Default 150 s.
        bookmark_silence: Duration = Duration::from_secs(150);
        /// After this much silence on a watch the informer makes sure that the server is still there: it asks for one
        /// object and expects a bookmark on the watch, or, where the transport has no pings, it moves the watch to
        /// another connection. Default 30 s.
        idle_watch: Duration = Duration::from_secs(30);
        /// How often the informer retries a kind that the server does not serve: the wait between two requests grows up
        /// to a random time between once and twice this. Default 30 s.
        gone_retry: Duration = Duration::from_secs(30);
        /// The time between two lists if RBAC allows the account to list but not to watch: a random time between once
        /// and twice this. Default 30 s.
        poll: Duration = Duration::from_secs(30);
        /// The longest random wait before a watch that ended is resumed, so that watches which end together are not all
        /// reopened in the same instant. Default 20 ms.
        resume_jitter: Duration = Duration::from_millis(20);
        /// The longest random wait before a list is read again because the watch cannot be resumed, so that many
        /// processes whose watches fail together do not all list at the same time. First lists and `refresh()` do not
        /// wait. Default 500 ms.
        relist_spread: Duration = Duration::from_millis(500);
        /// How many requests one scope may send in a burst. Default 10. The first list of a scope, and further pages of
        /// a list that makes progress, do not count; requests for single objects and `refresh()` have a second budget
        /// of the same size.
        request_burst: u32 = 10;
        /// After a burst, one more request may be sent in each period of this length. Default 1 s.
        request_interval: Duration = Duration::from_secs(1);
        /// How many relists in a burst are allowed for one scope because its watch cannot be resumed. Default 5.
        relist_burst: u32 = 5;
        /// After such a burst, one more relist is allowed in each period of this length. Default 10 s.
        relist_interval: Duration = Duration::from_secs(10);
        /// A watch that ends before this time without a new event counts as a failure. Default 1 s.
        short_watch: Duration = Duration::from_secs(1);
        /// The largest JSON document that the informer accepts, that is an object of a list or an event of a watch, in
        /// bytes. Default 32 MiB.
        document_limit: usize = 32 << 20;
        /// How many bytes of objects may be queued between the network and the store. Default 8 MiB.
        queue_bytes: usize = 8 << 20;
        /// How many events may be queued between the network and the store. Default 4,096.
        queue_entries: usize = 4096;
        /// After this many errors of a watch in a row, without a newer event or bookmark in between, the informer lists
        /// again; after fewer it resumes the watch. Default 3.
        errors_to_relist: u32 = 3;
        /// After this many watches in a row that died without a byte, the informer lists again; after fewer it reopens
        /// the watch. Default 2.
        silences_to_relist: u32 = 2;
        /// After this many streamed lists in a row that were cut, or ended before an object came, the informer uses LIST
        /// instead. It uses LIST at once after one that the server ended among its objects. Default 3.
        early_ends_to_list: u32 = 3;
        /// The shortest resync period; a handler that sets a shorter one gets this one. Default 1 s.
        minimum_resync: Duration = Duration::from_secs(1);
        /// How long a stop waits for handler calls that are in progress. Default 10 s.
        ///
        /// [`SharedInformer::shutdown`](crate::SharedInformer::shutdown), which also delivers pending events, has a
        /// timeout of its own.
        stop_patience: Duration = Duration::from_secs(10);
        /// A handler call that blocks its thread for longer counts as slow, and the first slow call is logged. Default
        /// 100 ms.
        slow_call: Duration = Duration::from_millis(100);
        /// How long [`wait_for`](crate::SharedInformer::wait_for) leaves it to the watch to bring the object before the
        /// informer requests that object from the server. Default 500 ms.
        lookup_after: Duration = Duration::from_millis(500);
    }
    with_setter {
        namespaces: Namespaces = Namespaces::Inherited(None);
        labels: Option<String> = None;
        fields: Option<String> = None;
        page_size: Option<u32> = None;
        name: Option<Arc<str>> = None;
        /// Requests ask the server for `PartialObjectMetadata`. Follows from the Rust type of the informer.
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

/// A user function that sets the selectors for a kind.
pub(crate) type Tweak = dyn Fn(&KindInfo, &mut Selection) + Send + Sync;

/// A field to drop, as the user wrote it; an error in the path is reported when the options are checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DroppedField {
    pub(crate) text: String,
    pub(crate) path: Result<FieldPath, String>,
}

/// A transform, and whether it takes objects of any kind: only such a transform can also be applied to metadata.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AnyTransform {
    pub(crate) function: Function<dyn Transform>,
    pub(crate) any_kind: bool,
}

/// Which objects are watched.
impl Options {
    /// Watches only this namespace. If called several times, the informer watches all the given namespaces with one
    /// watch each and holds them in one cache; namespaces can be [added](crate::SharedInformer::add_namespace) and
    /// removed later.
    ///
    /// Cluster-scoped kinds are not affected by the namespaces of their factory. If namespaces, or [all of
    /// them](Self::all_namespaces), are set for a kind, they replace those of its factory. A kind whose scope is not
    /// known is taken as namespaced until it is requested with a known scope.
    #[must_use]
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        self.namespaces([namespace])
    }

    /// Watches only these namespaces, in addition to those set before. There may be none: then the cache stays empty
    /// until a namespace is [added](crate::SharedInformer::add_namespace).
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.namespaces.add(namespaces.into_iter().map(Into::into));
        self
    }

    /// Watches all namespaces, which is the default unless namespaces are set on the factory.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces = Namespaces::All;
        self
    }

    /// Watches only objects whose labels match this selector, in the server's syntax: `app=web,tier in (front, back)`.
    /// Empty for all.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into()).filter(|selector| !selector.is_empty());
        self
    }

    /// Watches only objects whose fields match this selector, in the server's syntax: `spec.nodeName=node-1`. Empty for
    /// all.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into()).filter(|selector| !selector.is_empty());
        self
    }

    /// How many objects a page of a list has. If not set, lists that the server answers from its watch cache are not
    /// paged, and other lists have pages of 500.
    #[must_use]
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = Some(objects);
        self
    }

    /// The informer's name in metrics and logs; the resource if not set. Give two informers of one kind different
    /// names: otherwise, while both live, the metrics of the second have the name `name-2`.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Options {
    /// Whether the informer watches all objects of a scope, that is, has no selectors.
    pub(crate) fn selects_all(&self) -> bool {
        self.labels.is_none() && self.fields.is_none()
    }
}

/// Which parts of an object are kept.
impl Options {
    /// Keeps `metadata.managedFields`, which are otherwise cut out: they are often a third of an object.
    #[must_use]
    pub fn keep_managed_fields(mut self) -> Self {
        self.keep_managed_fields = true;
        self
    }

    /// Also keeps every object in decoded form: for code that often reads all objects of the cache as a whole. Costs
    /// memory.
    #[must_use]
    pub fn decoded(mut self) -> Self {
        self.decoded = true;
        self
    }

    /// Treats the contents of the objects as secret. Secrets are always treated like this, without this option. Of the
    /// contents of an object
    ///
    /// - nothing appears in this crate's errors, logs, metrics, statuses and `Debug` output. Errors name the place in
    ///   the JSON, and quote the server's message about a request that it refused. They do not quote the message of a
    ///   panic in your handlers, index functions and transforms, nor the errors that these functions return;
    /// - nothing is kept outside of the object itself: the object is not compressed, which would leave traces in the
    ///   compressor, no dictionary is learned from it, its labels are not shared with other objects, decoded values are
    ///   not cached (whatever [`decode_cache`](Self::decode_cache) says), and this crate's buffers are
    ///   overwritten after use. When the object has left the cache and your program has dropped it, nothing of its
    ///   contents is left, index values included.
    ///
    /// Memory that is given back to the allocator is not overwritten, neither this crate's nor that of the HTTP and TLS
    /// connection. And this crate cannot keep the message of a panic from the panic hook of your program, which by
    /// default prints it to the standard error stream.
    #[must_use]
    pub fn sensitive(mut self) -> Self {
        self.sensitive = true;
        self
    }

    /// Drops a field from every object before it is stored, without decoding the object.
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
    /// reported. There is one transform: the one that was set last, this or
    /// [one of the kind's own type](crate::InformerBuilder::transform), is called.
    ///
    /// Name, namespace, uid and resource version stay as they were, whatever the function does. To remove fields,
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

/// How handlers are called, and selectors for each kind.
impl Options {
    /// After each commit the informer waits until the first handler that was added has been called with all of it: like
    /// client-go's `NewInformer`, an informer for one handler. It does not wait for handlers that are added later.
    ///
    /// Each change is a commit of its own, and while the handler runs, the cache does not change. So the handler finds the cache
    /// exactly as of the event that it is called with; only the first list of a namespace, or of all, is there as a whole. A slow
    /// handler slows the informer down, also an async one: use this for quick bookkeeping. The handler must not wait for anything that only a later commit can
    /// bring, such as [`wait_for`](crate::SharedInformer::wait_for): it would wait until its timeout.
    ///
    /// A factory does not share such an informer with another name.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Sets a function that chooses the selectors for each kind; selectors set for the kind itself are applied after
    /// it. Meant for a factory.
    ///
    /// The selectors that it chose for a kind are kept: if an informer is stopped and the kind is requested again, the
    /// new informer uses the same ones. The function is called again for each [named](crate::Access::named) variant. If
    /// several threads request a kind for the first time at the same moment, it may be called more than once for it,
    /// and one of the results is used.
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

/// The methods that both builders have under the same name as [`Options`]: the options that are set most often.
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

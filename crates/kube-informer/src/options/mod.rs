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
use crate::source::tuning::options_table;
use crate::source::{Selection, Tuning};

options_table! {
    /// The options of an informer: namespaces, selectors, which parts of an object are kept, resync. Its numbers are one
    /// [`Tuning`]. The defaults suit a production cluster.
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
    /// let patient = Options::default().tuning(|tuning| tuning.list_limit(Duration::from_secs(600)));
    /// assert_ne!(patient, Options::default());
    /// ```
    ///
    /// Two values are equal if all their options are. Functions are equal if they are written at the same place in the
    /// source, whatever they have captured.
    Options
    plain {
        /// How often a handler is called again for every object in the cache, unless the handler sets its own period;
        /// zero, the default, means never.
        resync: Duration = Duration::ZERO;
        /// Where objects stay decoded that are read again and again. By default all informers of the process share 64 MiB;
        /// `DecodeCache::new(0)` keeps none. [Sensitive](Options::sensitive) kinds are never kept.
        decode_cache: DecodeCache = DecodeCache::default();
    }
    with_setter {
        tuning: Tuning = Tuning::default();
        namespaces: Namespaces = Namespaces::Inherited(None);
        labels: Option<String> = None;
        fields: Option<String> = None;
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
    /// Watches only these namespaces, in addition to those set before, with one watch each, and holds them in one cache.
    /// Namespaces can be [added](crate::SharedInformer::add_namespace) and removed later. There may be none: then the cache
    /// stays empty until one is added.
    ///
    /// Cluster-scoped kinds are not affected by the namespaces of their factory. If namespaces, or [all of
    /// them](Self::all_namespaces), are set for a kind, they replace those of its factory. A kind whose scope is not
    /// known is taken as namespaced until it is requested with a known scope.
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
}

impl Options {
    /// Changes numbers: how long to wait, how often to try, how much to queue.
    #[must_use]
    pub fn tuning(mut self, change: impl FnOnce(Tuning) -> Tuning) -> Self {
        self.tuning = change(self.tuning);
        self
    }

    /// The names of the options in which two values differ, numbers included.
    pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let own = self.differing(other).into_iter().filter(|name| *name != "tuning");
        own.chain(self.tuning.differing(&other.tuning)).collect()
    }

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
    /// A factory does not share such an informer with another name. It is there because client-go has it: programs that are
    /// carried over rely on a cache that waits for their one handler.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Sets a function that chooses the selectors for each kind; selectors set for the kind itself are applied after
    /// it. Meant for a factory: as with client-go's `WithTweakListOptions`, one function narrows the kinds that a program
    /// does not name one by one.
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

        /// Watches only this namespace, in addition to those set before. See [`Options::namespaces`].
        pub fn namespace(self, namespace: impl Into<String>) -> Self {
            self.options(|options| options.namespaces([namespace]))
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

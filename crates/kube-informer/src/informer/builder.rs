//! Building one informer.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::sync::Arc;

use informer_core::object::transform::{Transform, TypedTransform};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::BuildError;
use crate::informer::SharedInformer;
use crate::informer::blueprint::Blueprint;
use crate::kind::Kind;
use crate::options::{AnyTransform, Function, Options, option_setters};
use crate::report::Failure;

/// Builds a [`SharedInformer`], on its own or as part of a factory.
#[must_use]
pub struct InformerBuilder<K: Kind> {
    blueprint: Blueprint,
    of: PhantomData<fn() -> K>,
}

impl<K: Kind> InformerBuilder<K> {
    pub(crate) fn new(blueprint: Blueprint) -> Self {
        Self { blueprint, of: PhantomData }
    }

    pub(crate) fn into_blueprint(self) -> Blueprint {
        self.blueprint
    }

    /// Changes any of the options, including options that have no method on this builder.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use kube_informer::InformerBuilder;
    /// fn small_pages(pods: InformerBuilder<Pod>) -> InformerBuilder<Pod> {
    ///     pods.options(|options| options.tuning(|tuning| tuning.page_size(100)))
    /// }
    /// ```
    pub fn options(mut self, change: impl FnOnce(Options) -> Options) -> Self {
        let blueprint = &mut self.blueprint;
        blueprint.options = change(std::mem::take(&mut blueprint.options));
        // These follow from the kind and the Rust type, wherever the new options come from.
        blueprint.options.metadata_only = K::metadata_only();
        blueprint.options.sensitive |= informer_wire::kind::is_sensitive(&blueprint.kind);
        self
    }

    option_setters!();

    /// See [`Options::all_namespaces`].
    pub fn all_namespaces(self) -> Self {
        self.options(Options::all_namespaces)
    }

    /// The informer's name in metrics and logs; the resource if not set. Give two informers of one kind different
    /// names: otherwise, while both live, the metrics of the second have the name `name-2`.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.blueprint.options.name = Some(name.into());
        self
    }

    /// See [`Options::sensitive`].
    pub fn sensitive(self) -> Self {
        self.options(Options::sensitive)
    }

    /// See [`Options::decoded`].
    pub fn decoded(self) -> Self {
        self.options(Options::decoded)
    }

    /// See [`Options::exclusive`].
    pub fn exclusive(self) -> Self {
        self.options(Options::exclusive)
    }

    /// Sets a function that is called with every failure; the informer survives all but
    /// [`Cause::Broken`](crate::status::Cause::Broken). It must not block.
    pub fn on_error(mut self, callback: impl Fn(&Failure) + Send + Sync + 'static) -> Self {
        self.blueprint.on_error = Some(Arc::new(callback));
        self
    }
}

impl<K: Kind + DeserializeOwned> InformerBuilder<K> {
    /// Changes every object before it is stored, once per version. An error leaves the object out and is reported.
    ///
    /// Name, namespace, uid and resource version stay as they were, whatever the function does. To remove fields,
    /// [`drop_field`](Self::drop_field) is far cheaper: it decodes nothing.
    pub fn transform<F, E>(mut self, function: F) -> Self
    where
        K: Serialize,
        F: Fn(&mut K) -> Result<(), E> + Send + Sync + 'static,
        E: Display + 'static,
    {
        let captures = size_of::<F>() > 0;
        let transform: Arc<dyn Transform> = Arc::new(TypedTransform::new(function));
        let function = Function::of::<F>(transform, captures);
        self.blueprint.options.transform = Some(AnyTransform { function, any_kind: false });
        self
    }

    /// The informer. It does nothing until it is [run](SharedInformer::run).
    pub fn build(self) -> Result<SharedInformer<K>, BuildError> {
        let blueprint = self.blueprint.check()?;
        let name = blueprint.kind.resource().into();
        Ok(SharedInformer::new(blueprint.build(name)))
    }
}

impl<K: Kind> Clone for InformerBuilder<K> {
    fn clone(&self) -> Self {
        Self::new(self.blueprint.clone())
    }
}

impl<K: Kind> fmt::Debug for InformerBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerBuilder")
            .field("kind", &self.blueprint.kind)
            .field("options", &self.blueprint.options)
            .finish_non_exhaustive()
    }
}

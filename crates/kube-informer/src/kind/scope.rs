//! Whether the objects of a kind live in namespaces, as a type.

use kube_core::DynamicResourceScope;

use crate::kind::{ClusterWide, Namespaced};

/// The scope of a kind, as a type, so that `lister.namespace("x")` exists only where it makes sense.
pub trait KindScope: 'static {
    /// Whether objects live in a namespace; `None` if only known at run time.
    const NAMESPACED: Option<bool>;
}

impl KindScope for Namespaced {
    const NAMESPACED: Option<bool> = Some(true);
}

impl KindScope for ClusterWide {
    const NAMESPACED: Option<bool> = Some(false);
}

impl KindScope for DynamicResourceScope {
    const NAMESPACED: Option<bool> = None;
}

/// Scopes in which an object is found by namespace and name.
pub trait InNamespaces: KindScope {}
impl InNamespaces for Namespaced {}
impl InNamespaces for DynamicResourceScope {}

/// Scopes in which an object is found by its name alone.
pub trait AcrossCluster: KindScope {}
impl AcrossCluster for ClusterWide {}
impl AcrossCluster for DynamicResourceScope {}

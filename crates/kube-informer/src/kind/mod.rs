//! What kind of object an informer holds: its group, version, kind, plural and scope.

mod into;
pub(crate) mod resource;
mod scope;

/// Kinds whose objects belong to the whole cluster.
pub use k8s_openapi::ClusterResourceScope as ClusterWide;
/// Kinds whose objects live in a namespace.
pub use k8s_openapi::NamespaceResourceScope as Namespaced;

pub use informer_wire::KindInfo;
pub(crate) use informer_wire::ResourceId;

pub use self::into::IntoKind;
pub(crate) use self::resource::Kind;
pub use self::scope::{AcrossCluster, InNamespaces, KindScope};

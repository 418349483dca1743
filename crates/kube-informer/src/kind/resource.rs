//! What a type has to tell of itself to be a kind.

use crate::kind::{KindInfo, KindScope};

/// A kind of Kubernetes object that an informer can hold.
///
/// Every [`kube_core::Resource`] is one: the types of `k8s-openapi`, those made with
/// `#[derive(CustomResource)]`, `DynamicObject` and `PartialObjectMeta`. For a struct of your own that names only the
/// fields you read, write it by hand:
///
/// ```
/// use kube_informer::Kind;
/// use kube_informer::kind::{KindInfo, Namespaced};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct SlimPod {
///     spec: SlimSpec,
/// }
///
/// #[derive(Deserialize)]
/// #[serde(rename_all = "camelCase")]
/// struct SlimSpec {
///     node_name: Option<String>,
/// }
///
/// impl Kind for SlimPod {
///     type Scope = Namespaced;
///     type Dynamic = ();
///     fn info(_: &()) -> KindInfo {
///         KindInfo::new("", "v1", "Pod", "pods").namespaced(true)
///     }
/// }
/// ```
pub trait Kind: Sized + Send + Sync + 'static {
    /// Whether objects of this kind live in a namespace.
    type Scope: KindScope;
    /// What has to be known at run time to name the kind: `()` for static kinds, `ApiResource` for `DynamicObject`.
    type Dynamic;
    /// Group, version, kind, plural and scope.
    fn info(dynamic: &Self::Dynamic) -> KindInfo;
    /// Whether the server is asked for metadata only (`PartialObjectMetadata`).
    fn metadata_only() -> bool {
        false
    }
}

impl<K> Kind for K
where
    K: kube_core::Resource + Send + Sync + 'static,
    K::Scope: KindScope,
{
    type Scope = K::Scope;
    type Dynamic = K::DynamicType;

    fn info(dynamic: &K::DynamicType) -> KindInfo {
        let info =
            KindInfo::new(K::group(dynamic), K::version(dynamic), K::kind(dynamic), K::plural(dynamic));
        match K::Scope::NAMESPACED {
            Some(namespaced) => info.namespaced(namespaced),
            None => info,
        }
    }

    fn metadata_only() -> bool {
        <K as kube_core::Resource>::metadata_api()
    }
}

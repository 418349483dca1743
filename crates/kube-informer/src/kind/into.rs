//! The values that name a kind at run time.

use kube_core::{ApiResource, GroupVersionResource};

use crate::kind::KindInfo;

/// A value that names a kind: [`KindInfo`] itself, an [`ApiResource`] or a [`GroupVersionResource`].
pub trait IntoKind {
    /// Group, version, kind, plural and scope, as far as the value knows them.
    fn into_kind(self) -> KindInfo;
}

impl IntoKind for KindInfo {
    fn into_kind(self) -> KindInfo {
        self
    }
}

impl IntoKind for &KindInfo {
    fn into_kind(self) -> KindInfo {
        self.clone()
    }
}

/// The scope is not known.
impl IntoKind for &ApiResource {
    fn into_kind(self) -> KindInfo {
        KindInfo::new(&self.group, &self.version, &self.kind, &self.plural)
    }
}

/// The scope is not known.
impl IntoKind for ApiResource {
    fn into_kind(self) -> KindInfo {
        (&self).into_kind()
    }
}

/// Neither the scope nor the name of the kind is known, so objects are not checked to be of that kind.
impl IntoKind for &GroupVersionResource {
    fn into_kind(self) -> KindInfo {
        KindInfo::new(&self.group, &self.version, "", &self.resource)
    }
}

/// Neither the scope nor the name of the kind is known, so objects are not checked to be of that kind.
impl IntoKind for GroupVersionResource {
    fn into_kind(self) -> KindInfo {
        (&self).into_kind()
    }
}

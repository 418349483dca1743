//! The metadata of an object that is read out when it arrives, so that most code never decodes the rest.

use std::sync::Arc;

use informer_wire::{ObjectKey, ResourceVersion, Uid};

use crate::object::label_set::LabelSet;

/// Who owns an object: an entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OwnerReference {
    /// `apiVersion` of the owner.
    pub api_version: Arc<str>,
    /// Kind of the owner.
    pub kind: Arc<str>,
    /// Name of the owner.
    pub name: Arc<str>,
    /// Uid of the owner.
    pub uid: Uid,
    /// Whether the owner is the managing controller.
    pub controller: bool,
    /// Whether the owner's deletion waits for this object.
    pub block_owner_deletion: bool,
}

/// An `Option<i64>` in half the space. The least number, which is neither a time nor a generation, stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optional(i64);

impl Optional {
    /// The number, if there is one.
    #[inline]
    pub fn get(self) -> Option<i64> {
        (self.0 != i64::MIN).then_some(self.0)
    }
}

impl From<Option<i64>> for Optional {
    fn from(number: Option<i64>) -> Self {
        Self(number.unwrap_or(i64::MIN))
    }
}

/// What the pipeline knows of an object without decoding it.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Head {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The uid.
    pub uid: Uid,
    /// The version.
    pub resource_version: ResourceVersion,
    /// `metadata.generation`.
    pub generation: Optional,
    /// Seconds since 1970.
    pub created: Optional,
    /// Seconds since 1970.
    pub deleted: Optional,
    /// The labels.
    pub labels: LabelSet,
    /// The owner references.
    pub owners: Arc<[OwnerReference]>,
    /// The finalizers.
    pub finalizers: Arc<[Arc<str>]>,
}

impl Head {
    /// The uid of its owner, the controlling one if there are several: others of it are probably made of the same template.
    pub(crate) fn kin(&self) -> Option<&Uid> {
        let owner = self.owners.iter().find(|owner| owner.controller).or(self.owners.first())?;
        Some(&owner.uid).filter(|uid| !uid.is_empty())
    }
}

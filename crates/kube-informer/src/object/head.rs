//! The metadata of an object that is read out when it arrives, so that most code never decodes the rest.

use std::sync::Arc;

use crate::key::ObjectKey;
use crate::object::labels::Labels;
use crate::version::{ResourceVersion, Uid};

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

/// What the pipeline knows of an object without decoding it.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Head {
    pub(crate) key: ObjectKey,
    pub(crate) uid: Uid,
    pub(crate) resource_version: ResourceVersion,
    pub(crate) generation: Option<i64>,
    /// Seconds since 1970.
    pub(crate) created: Option<i64>,
    /// Seconds since 1970.
    pub(crate) deleted: Option<i64>,
    pub(crate) labels: Labels,
    pub(crate) owners: Arc<[OwnerReference]>,
    pub(crate) finalizers: Arc<[Arc<str>]>,
}

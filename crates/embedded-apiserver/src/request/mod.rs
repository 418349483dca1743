//! What a request asks for: its path, its query, what it accepts.

use std::sync::Arc;

use crate::kinds::Resource;

/// What is done to which resource. Made from method, path and query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) verb: Verb,
    pub(crate) resource: Arc<Resource>,
    /// `None`: all namespaces, or a kind of the whole cluster.
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
}

/// The verbs of the API, as RBAC rules and faults name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// One object is read.
    Get,
    /// A collection is read.
    List,
    /// Changes of a collection are read.
    Watch,
    /// An object is made.
    Create,
    /// An object is written whole.
    Update,
    /// A part of an object is changed.
    Patch,
    /// One object is deleted.
    Delete,
    /// A collection is deleted.
    DeleteCollection,
}

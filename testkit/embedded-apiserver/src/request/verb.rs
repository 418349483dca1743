//! The verbs of the API.

use std::fmt;

/// The verbs of the API, as RBAC rules and faults name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Creates an object.
    Create,
    /// Deletes one object.
    Delete,
    /// Deletes the objects of a collection.
    DeleteCollection,
    /// Reads one object.
    Get,
    /// Reads a collection.
    List,
    /// Changes a part of an object.
    Patch,
    /// Replaces an object.
    Update,
    /// Follows the changes of a collection.
    Watch,
}

impl Verb {
    /// All verbs.
    pub const ALL: [Self; 8] = [
        Self::Create,
        Self::Delete,
        Self::DeleteCollection,
        Self::Get,
        Self::List,
        Self::Patch,
        Self::Update,
        Self::Watch,
    ];

    /// The spelling of RBAC rules and discovery, such as `deletecollection`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

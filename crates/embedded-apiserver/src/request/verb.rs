//! The verbs of the API.

use std::fmt;

/// The verbs of the API, as RBAC rules and faults name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// An object is made.
    Create,
    /// One object is deleted.
    Delete,
    /// A collection is deleted.
    DeleteCollection,
    /// One object is read.
    Get,
    /// A collection is read.
    List,
    /// A part of an object is changed.
    Patch,
    /// An object is written whole.
    Update,
    /// Changes of a collection are read.
    Watch,
}

impl Verb {
    /// All of them.
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

    /// As RBAC rules and discovery spell it: `deletecollection`.
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

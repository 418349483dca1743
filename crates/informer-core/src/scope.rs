//! Which part of the cluster an informer, or one reflector of it, looks at.

use std::fmt;
use std::sync::Arc;

use informer_wire::ObjectKey;

/// The number of a scope within its informer. Never given twice: a namespace that is removed and added again gets another
/// one, so that what is still on its way from the first is not taken for news of the second.
pub type ScopeId = usize;

/// Everything, or one namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Scope {
    /// All namespaces, or the objects of the whole cluster.
    #[default]
    All,
    /// One namespace.
    Namespace(Arc<str>),
}

impl Scope {
    /// One namespace.
    pub fn namespace(name: impl Into<Arc<str>>) -> Self {
        Self::Namespace(name.into())
    }

    /// The namespace, `None` for all.
    #[inline]
    pub fn as_namespace(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Namespace(name) => Some(name),
        }
    }

    /// Whether an object with this key is in the scope.
    #[inline]
    pub fn contains(&self, key: &ObjectKey) -> bool {
        match self {
            Self::All => true,
            Self::Namespace(name) => key.namespace() == Some(name),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all namespaces"),
            Self::Namespace(name) => write!(f, "namespace {name:?}"),
        }
    }
}

//! The identity of an object within its kind: namespace and name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Namespace and name of an object. Cheap to clone; prints as `namespace/name`, or `name` without a namespace.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    namespace: Option<Arc<str>>,
    name: Arc<str>,
}

impl ObjectKey {
    /// The key of an object in a namespace. An empty namespace is none.
    pub fn namespaced(namespace: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Self {
        Self::from_parts(Some(namespace.into()), name.into())
    }

    /// The key of an object of the whole cluster.
    pub fn cluster(name: impl Into<Arc<str>>) -> Self {
        Self { namespace: None, name: name.into() }
    }

    pub(crate) fn from_parts(namespace: Option<Arc<str>>, name: Arc<str>) -> Self {
        Self { namespace: namespace.filter(|namespace| !namespace.is_empty()), name }
    }

    /// The namespace, `None` for objects of the whole cluster.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn shared_namespace(&self) -> Option<&Arc<str>> {
        self.namespace.as_ref()
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The text is not `name` or `namespace/name`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an object key: expected `name` or `namespace/name`")]
pub struct ParseKeyError(String);

impl FromStr for ObjectKey {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, ParseKeyError> {
        let mut parts = text.split('/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(name), None, None) if !name.is_empty() => Ok(Self::cluster(name)),
            (Some(namespace), Some(name), None) if !name.is_empty() => Ok(Self::namespaced(namespace, name)),
            _ => Err(ParseKeyError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;

//! Errors of indexes.

use std::sync::Arc;

/// Why an index cannot be queried or added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// There is no index of this name.
    #[error("there is no index {0:?}: it has been removed, or its informer has stopped")]
    Unknown(Arc<str>),
    /// There is an index of this name with another value type.
    #[error("index {0:?} is not on values of this type")]
    OtherType(Arc<str>),
    /// There is an index of this name on another field.
    #[error("index {index:?} is on {}, not on {wanted:?}; give this one another name", .there.map_or_else(|| "a function".to_owned(), |path| format!("{path:?}")))]
    OtherField {
        /// The index.
        index: Arc<str>,
        /// The path that it was added with; `None` if it was added with a function.
        there: Option<&'static str>,
        /// The path of the requested index.
        wanted: &'static str,
    },
    /// The index belongs to another informer than the lister that it was passed to.
    #[error("index {0:?} is not of the informer that this lister reads")]
    OtherInformer(Arc<str>),
    /// There is an index of this name already.
    #[error("there is already an index {0:?}")]
    Duplicate(Arc<str>),
    /// The index function failed on the object that was passed to the query.
    #[error("index {index:?}: {message}")]
    Function {
        /// The index.
        index: Arc<str>,
        /// The error that the function returned.
        message: String,
    },
}

//! The bytes of an object.

/// The JSON of an object without its managedFields.
pub(crate) enum Body {
    /// As it is.
    Plain(Box<[u8]>),
}

impl Body {
    /// Hands the JSON to a function.
    pub(crate) fn with_json<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Plain(bytes) => read(bytes),
        }
    }

    /// How many bytes it takes in memory.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
        }
    }
}

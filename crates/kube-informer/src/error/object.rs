//! What is no object, or not the one that was asked for.

use std::fmt;
use std::str::FromStr;

use crate::key::ObjectKey;
use crate::kind::KindInfo;

/// An object does not decode into the type asked for, a value makes no object, or a text is no key.
///
/// Names kind and key and what the decoder said. For Secrets, and what else was marked sensitive, only the place in the
/// JSON is told, because decoders quote what they did not expect.
#[derive(Clone, PartialEq, Eq)]
pub struct ObjectError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
enum Inner {
    Undecodable { kind: KindInfo, key: ObjectKey, message: String },
    Invalid { kind: KindInfo, message: String },
    NotAKey { text: String },
}

impl ObjectError {
    /// An object that does not decode.
    pub(crate) fn undecodable(kind: KindInfo, key: ObjectKey, message: String) -> Self {
        Self(Box::new(Inner::Undecodable { kind, key, message }))
    }

    /// A value or document that makes no object of its kind.
    pub(crate) fn invalid(kind: &KindInfo, message: String) -> Self {
        Self(Box::new(Inner::Invalid { kind: kind.clone(), message }))
    }

    /// Whether an object did not decode into the type asked for.
    pub fn is_undecodable(&self) -> bool {
        matches!(&*self.0, Inner::Undecodable { .. })
    }

    /// Whether a value or a document does not make an object of its kind.
    pub fn is_invalid(&self) -> bool {
        matches!(&*self.0, Inner::Invalid { .. })
    }

    /// Whether a text was neither `name` nor `namespace/name`.
    pub fn is_not_a_key(&self) -> bool {
        matches!(&*self.0, Inner::NotAKey { .. })
    }

    /// The kind of the object; `None` of a text that is no key.
    pub fn kind(&self) -> Option<&KindInfo> {
        match &*self.0 {
            Inner::Undecodable { kind, .. } | Inner::Invalid { kind, .. } => Some(kind),
            Inner::NotAKey { .. } => None,
        }
    }

    /// Namespace and name of the object that did not decode.
    pub fn key(&self) -> Option<&ObjectKey> {
        match &*self.0 {
            Inner::Undecodable { key, .. } => Some(key),
            Inner::Invalid { .. } | Inner::NotAKey { .. } => None,
        }
    }

    /// What the decoder said, or the text that is no key.
    pub fn message(&self) -> &str {
        match &*self.0 {
            Inner::Undecodable { message, .. } | Inner::Invalid { message, .. } => message,
            Inner::NotAKey { text } => text,
        }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Inner::Undecodable { kind, key, message } => {
                write!(f, "{} {key} does not decode: {message}", kind.noun())
            }
            Inner::Invalid { kind, message } => write!(f, "this makes no object of {kind}: {message}"),
            Inner::NotAKey { text } => {
                write!(f, "{text:?} is not an object key: expected `name` or `namespace/name`")
            }
        }
    }
}

impl fmt::Debug for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectError({self})")
    }
}

impl std::error::Error for ObjectError {}

/// Here and not with the key, which is below the errors: they name keys.
impl FromStr for ObjectKey {
    type Err = ObjectError;

    fn from_str(text: &str) -> Result<Self, ObjectError> {
        Self::parse(text).ok_or_else(|| ObjectError(Box::new(Inner::NotAKey { text: text.to_owned() })))
    }
}

//! JSON or text that is not the expected object or key.

use std::fmt;
use std::str::FromStr;

use crate::key::ObjectKey;
use crate::kind::KindInfo;

/// An object does not decode into the requested type, a value is not an object of its kind, or a text is not a key.
///
/// Names the kind, the key and the decoder's message. For Secrets and other [sensitive](crate::Options::sensitive)
/// kinds it names only the place in the JSON, because decoders quote unexpected values in their messages.
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

    /// A value or document that is not an object of its kind.
    pub(crate) fn invalid(kind: &KindInfo, message: String) -> Self {
        Self(Box::new(Inner::Invalid { kind: kind.clone(), message }))
    }

    /// Whether an object did not decode into the requested type.
    pub fn is_undecodable(&self) -> bool {
        matches!(&*self.0, Inner::Undecodable { .. })
    }

    /// Whether a value or a document is not an object of its kind.
    pub fn is_invalid(&self) -> bool {
        matches!(&*self.0, Inner::Invalid { .. })
    }

    /// Whether a text was neither `name` nor `namespace/name`.
    pub fn is_not_a_key(&self) -> bool {
        matches!(&*self.0, Inner::NotAKey { .. })
    }

    /// The kind of the object; `None` if the error is about a text that is not a key.
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

    /// The decoder's message, or the text that is not a key.
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

/// Here and not in the module of `ObjectKey`, which must not depend on the errors, because the errors depend on it.
impl FromStr for ObjectKey {
    type Err = ObjectError;

    fn from_str(text: &str) -> Result<Self, ObjectError> {
        Self::parse(text).ok_or_else(|| ObjectError(Box::new(Inner::NotAKey { text: text.to_owned() })))
    }
}

//! JSON that is not the expected object.

use std::fmt;

use informer_wire::ObjectKey;

use crate::kind::KindInfo;

/// An object does not decode into the requested type, or a value is not an object of its kind.
///
/// Names the kind, the key and the decoder's message. For Secrets and other [sensitive](crate::Options::sensitive)
/// kinds it names only the place in the JSON, because decoders quote unexpected values in their messages.
#[derive(Clone, PartialEq, Eq)]
pub struct ObjectError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
enum Inner {
    Undecodable { kind: KindInfo, key: ObjectKey, message: String },
    Invalid { kind: KindInfo, message: String },
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

    /// The kind of the object.
    pub fn kind(&self) -> &KindInfo {
        match &*self.0 {
            Inner::Undecodable { kind, .. } | Inner::Invalid { kind, .. } => kind,
        }
    }

    /// Namespace and name of the object that did not decode.
    pub fn key(&self) -> Option<&ObjectKey> {
        match &*self.0 {
            Inner::Undecodable { key, .. } => Some(key),
            Inner::Invalid { .. } => None,
        }
    }

    /// The decoder's message.
    pub fn message(&self) -> &str {
        match &*self.0 {
            Inner::Undecodable { message, .. } | Inner::Invalid { message, .. } => message,
        }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Inner::Undecodable { kind, key, message } => {
                write!(f, "{} {key} does not decode: {message}", informer_wire::kind::noun(kind))
            }
            Inner::Invalid { kind, message } => write!(f, "this makes no object of {kind}: {message}"),
        }
    }
}

impl fmt::Debug for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectError({self})")
    }
}

impl std::error::Error for ObjectError {}

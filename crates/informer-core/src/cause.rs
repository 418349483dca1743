//! The causes of failures, as values: who hears of one decides what comes of it.

use std::fmt;
use std::sync::Arc;

use informer_wire::{KindInfo, ObjectKey};

use crate::scope::Scope;

/// The cause of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A list failed; the informer tries it again.
    List {
        /// The HTTP status, if the server answered.
        status: Option<u16>,
        /// What the server or the connection said.
        message: String,
    },
    /// A watch failed or ended with an error; the informer resumes it or lists again.
    Watch {
        /// The HTTP status, if the server answered.
        status: Option<u16>,
        /// What the server or the connection said.
        message: String,
    },
    /// An object was left out: it has no name, is of another kind, or the transform refused it.
    LeftOut {
        /// Its key, where it could be read.
        key: Option<ObjectKey>,
        /// Why.
        message: String,
    },
    /// None of the objects sampled at the start decodes into the informer's type.
    WrongType {
        /// The decoder's message about the last of them.
        message: String,
    },
    /// An object did not decode into the requested type.
    Undecodable {
        /// Its key.
        key: ObjectKey,
        /// What the decoder said.
        message: String,
    },
    /// The `Drop` of the type that an object was decoded into panicked.
    Drop {
        /// Its key.
        key: ObjectKey,
        /// What it said.
        message: String,
    },
    /// An index function failed or panicked; the object is not in that index.
    Index {
        /// The index.
        index: Arc<str>,
        /// The object.
        key: ObjectKey,
        /// What it said.
        message: String,
    },
    /// A handler panicked. Other handlers, and later events of this handler, are not affected, unless the task of the
    /// handler itself failed: then the handler has ended.
    Handler {
        /// The handler.
        handler: Arc<str>,
        /// What it said.
        message: String,
    },
    /// The informer itself panicked and has stopped: its cache stays readable and is not kept up to date any more.
    Broken {
        /// What it said.
        message: String,
    },
}

impl Cause {
    /// The HTTP status, if the server answered with one.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::List { status, .. } | Self::Watch { status, .. } => *status,
            _ => None,
        }
    }

    /// The message of the server, the connection, the decoder or the user's code.
    pub fn message(&self) -> &str {
        match self {
            Self::List { message, .. }
            | Self::Watch { message, .. }
            | Self::LeftOut { message, .. }
            | Self::WrongType { message }
            | Self::Undecodable { message, .. }
            | Self::Drop { message, .. }
            | Self::Index { message, .. }
            | Self::Handler { message, .. }
            | Self::Broken { message } => message,
        }
    }

    /// A short fixed name for logs and metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Self::List { .. } => "list",
            Self::Watch { .. } => "watch",
            Self::LeftOut { .. } => "left_out",
            Self::WrongType { .. } => "wrong_type",
            Self::Undecodable { .. } => "undecodable",
            Self::Drop { .. } => "drop",
            Self::Index { .. } => "index",
            Self::Handler { .. } => "handler",
            Self::Broken { .. } => "broken",
        }
    }
}

/// The names of all causes.
pub const CAUSES: &[&str] =
    &["list", "watch", "left_out", "wrong_type", "undecodable", "drop", "index", "handler", "broken"];

/// Says what failed of this kind, in this scope if it concerns only one.
pub fn describe(
    cause: &Cause,
    kind: &KindInfo,
    scope: Option<&Scope>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match cause {
        Cause::List { status, message } | Cause::Watch { status, message } => {
            write!(f, "cannot {} {kind}", cause.name())?;
            if let Some(scope) = scope {
                write!(f, " in {scope}")?;
            }
            if let Some(status) = status {
                write!(f, " (HTTP {status})")?;
            }
            write!(f, ": {message}")
        }
        Cause::LeftOut { key: Some(key), message } => write!(f, "{kind} {key} is left out: {message}"),
        Cause::LeftOut { key: None, message } => write!(f, "an object of {kind} is left out: {message}"),
        Cause::WrongType { message } => {
            write!(f, "no object of {kind} decodes into the informer's type, check the type: {message}")
        }
        Cause::Undecodable { key, message } => write!(f, "{kind} {key} does not decode: {message}"),
        Cause::Drop { key, message } => {
            write!(f, "{kind} {key} was decoded into a type whose Drop panicked: {message}")
        }
        Cause::Index { index, key, message } => {
            write!(f, "{kind} {key} is left out of index {index:?}: {message}")
        }
        Cause::Handler { handler, message } => write!(f, "handler {handler:?} of {kind} panicked: {message}"),
        Cause::Broken { message } => write!(f, "the informer of {kind} broke and has stopped: {message}"),
    }
}

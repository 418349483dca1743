//! What can go wrong with a write.

use kube_informer::error::ObjectError;
use kube_informer::kind::KindInfo;

/// Why a write failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The informer has no API server to write to, and the controller no client.
    #[error(
        "{kind} cannot be written: give a client with `Controller::client`, or `Run::with_client` without a controller"
    )]
    NoClient {
        /// What was to be written.
        kind: KindInfo,
    },
    /// What was to be written is not an object with the metadata that it takes.
    #[error("{kind} cannot be written: {why}")]
    Invalid {
        /// What was to be written.
        kind: KindInfo,
        /// What is wrong.
        why: String,
    },
    /// The server refused it, or could not be asked.
    #[error("{kind} {name}: {}", server_text(error))]
    Refused {
        /// What was to be written.
        kind: KindInfo,
        /// Its namespace and name.
        name: String,
        /// What the server or the connection says.
        #[source]
        error: Box<kube_client::Error>,
    },
    /// The [leadership](crate::Leadership) is over. If that was before the write began, nothing has been sent.
    #[error("{kind} {name} is not written: the leadership is over")]
    NotLeader {
        /// What was to be written.
        kind: KindInfo,
        /// Its namespace and name.
        name: String,
    },
    /// The [`Controller`](crate::Controller) that this run was of has ended. If that was before the write began, nothing has been
    /// sent.
    #[error("{kind} {name} is not written: the controller has ended")]
    Ended {
        /// What was to be written.
        kind: KindInfo,
        /// Its namespace and name.
        name: String,
    },
    /// It has been written, but the server answered with a `Status`, and cannot be asked what the object is like now.
    #[error("{kind} {name} has been written; what it is now is not known")]
    NoObject {
        /// What was written.
        kind: KindInfo,
        /// Its namespace and name.
        name: String,
    },
    /// No informer of the controller has such objects, so there is nothing to wait for.
    #[error("no informer of the controller has objects of {kind}; tell the `Objects` of one with `wrote`")]
    NotWatched {
        /// The API version and kind of what was told.
        kind: String,
    },
    /// The answer is not an object of that kind. It has been written.
    #[error(transparent)]
    Answer(#[from] ObjectError),
}

/// What a server says that refuses something, with the HTTP status. The error's own text ends in all fields of the answer.
pub(crate) fn server_text(error: &kube_client::Error) -> String {
    match error {
        kube_client::Error::Api(status) => {
            format!("HTTP {} {}: {}", status.code, status.reason, status.message)
        }
        other => other.to_string(),
    }
}

impl WriteError {
    /// The HTTP status that the server answered with.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Refused { error, .. } => match &**error {
                kube_client::Error::Api(status) => Some(status.code),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether there is no such object.
    pub fn is_not_found(&self) -> bool {
        self.code() == Some(404)
    }

    /// Whether somebody else has changed the object, or one of that name exists.
    pub fn is_conflict(&self) -> bool {
        self.code() == Some(409)
    }

    /// Whether the object of that name is another one than the uid of a delete says.
    pub(super) fn is_of_another_uid(&self) -> bool {
        let Self::Refused { error, .. } = self else { return false };
        // The server has two texts for it, according to where it notices.
        let texts = ["UID in precondition", "UID in the precondition"];
        matches!(&**error, kube_client::Error::Api(status) if status.code == 409 && texts.iter().any(|text| status.message.contains(text)))
    }
}

//! What can go wrong.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube_informer::error::{InformerError, WaitError};

use crate::writes::server_text;

/// Why a controller did not run to its orderly end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// It has nothing to call.
    #[error("controller {name} has no function: call `reconcile` before `run`")]
    NoFunction {
        /// The controller.
        name: Arc<str>,
    },
    /// An informer does not take its handler.
    #[error(transparent)]
    Informer(#[from] InformerError),
    /// The index of what it owns cannot be made.
    #[error(transparent)]
    Index(#[from] WaitError),
    /// It has a finalizer, and nothing to write with.
    #[error("controller {name} has a finalizer and no API server to write to: call `client` before `run`")]
    NoClient {
        /// The controller.
        name: Arc<str>,
    },
    /// An informer that it needs stopped, before the controller began or while it ran. What was due has been done.
    #[error("controller {name} cannot go on: informer {informer} has stopped")]
    Stopped {
        /// The controller.
        name: Arc<str>,
        /// The informer.
        informer: String,
    },
    /// Not all that was due was done in time at the end. What was running was dropped where it waited.
    #[error("controller {name} was not done within {time:?} of its end; what was running was dropped")]
    NotDrained {
        /// The controller.
        name: Arc<str>,
        /// The time that it had.
        time: Duration,
    },
}

/// Why a run of a reconcile function failed. Any error becomes one with `?`.
pub struct ReconcileError {
    error: Box<dyn Error + Send + Sync>,
    is_terminal: bool,
}

impl ReconcileError {
    /// An error that trying again does not help against: the object waits until something happens to it.
    pub fn terminal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { error: error.into(), is_terminal: true }
    }

    /// An error with this text; it is tried again.
    pub fn msg(text: impl Into<String>) -> Self {
        Self { error: text.into().into(), is_terminal: false }
    }

    /// Whether it is not tried again.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The error itself.
    pub fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.error
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ReconcileError {
    fn from(error: E) -> Self {
        Self { error: error.into(), is_terminal: false }
    }
}

/// The error with what caused it, each text once.
impl fmt::Display for ReconcileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let mut next: Option<&(dyn Error + 'static)> = Some(&*self.error);
        while let Some(error) = next {
            let of_client = of_client(error);
            let more = of_client.map_or_else(|| error.to_string(), server_text);
            // Some errors print their cause themselves.
            if !text.contains(&more) {
                text.push_str(if text.is_empty() { "" } else { ": " });
                text.push_str(&more);
            }
            // The cause of this one is the answer that it has told of.
            next = error.source().filter(|_| !matches!(of_client, Some(kube_client::Error::Api(_))));
        }
        f.write_str(&text)
    }
}

fn of_client<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e kube_client::Error> {
    error.downcast_ref().or_else(|| error.downcast_ref::<Box<kube_client::Error>>().map(|error| &**error))
}

impl fmt::Debug for ReconcileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReconcileError")
            .field("error", &self.error)
            .field("is_terminal", &self.is_terminal)
            .finish()
    }
}

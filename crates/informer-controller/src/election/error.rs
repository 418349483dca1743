//! What can go wrong.

use std::error::Error;
use std::time::Duration;

use kube_informer::error::BuildError;

/// Why an election did not come to its orderly end. In all these cases the Lease is not released: others take over when it
/// expires.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ElectionError {
    /// The times do not fit together.
    #[error("the election cannot begin: {why}")]
    Timing {
        /// What is wrong.
        why: String,
    },
    /// The Lease cannot be watched.
    #[error("the election cannot begin")]
    Build(#[from] BuildError),
    /// The leadership was lost: it could not be renewed in time, or somebody else has the Lease.
    #[error("{lease}: the leadership of term {term} is lost")]
    Lost {
        /// Namespace and name of the Lease.
        lease: String,
        /// The term that has ended.
        term: u64,
    },
    /// The work did not end in time after it was told to. It was dropped where it waited.
    #[error(
        "{lease}: the leader's work did not end within {time:?}; it was dropped, and the Lease is not released"
    )]
    NotDrained {
        /// Namespace and name of the Lease.
        lease: String,
        /// The time that it had.
        time: Duration,
    },
    /// The work failed, so nobody knows whether it has ended.
    #[error("{lease}: the leader's work failed, and the Lease is not released: {error}")]
    Failed {
        /// Namespace and name of the Lease.
        lease: String,
        /// What the work says.
        #[source]
        error: Box<dyn Error + Send + Sync>,
    },
}

/// The leadership is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the leadership is over")]
#[non_exhaustive]
pub struct NotLeaderError;

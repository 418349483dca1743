//! The reasons for which a recorder is not installed.

use std::error::Error;
use std::fmt;

/// No recorder of metrics was installed.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecorderError(Reason);

#[derive(Debug)]
pub(super) enum Reason {
    TooLate,
    AlreadyInstalled,
    Other(metrics_exporter_prometheus::BuildError),
}

impl RecorderError {
    /// Whether informers or work queues had been built before, whose metrics this recorder would not get.
    pub fn is_too_late(&self) -> bool {
        matches!(self.0, Reason::TooLate)
    }

    /// Whether the process has a recorder already.
    pub fn is_already_installed(&self) -> bool {
        matches!(self.0, Reason::AlreadyInstalled)
    }
}

impl From<Reason> for RecorderError {
    fn from(reason: Reason) -> Self {
        Self(reason)
    }
}

impl fmt::Display for RecorderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::TooLate => f.write_str(
                "the recorder of metrics comes too late: informers or work queues have been built, whose metrics go to whatever \
                 recorder there was then, or nowhere; call install_recorder before anything else, or give the text of that \
                 recorder to Endpoint::metrics",
            ),
            Reason::AlreadyInstalled => f.write_str(
                "this process has a recorder of metrics already; give its text to Endpoint::metrics instead",
            ),
            Reason::Other(_) => f.write_str("the recorder of metrics cannot be made"),
        }
    }
}

impl Error for RecorderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Reason::Other(error) => Some(error),
            Reason::TooLate | Reason::AlreadyInstalled => None,
        }
    }
}

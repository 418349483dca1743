//! Why a request was given up, or has come to its end, before it brought what it was sent for.

use informer_wire::framing::StreamError;

use super::cursor::NextStep;
use super::recovery::Trouble;
use crate::fifo::Closed;
use crate::source::SourceError;

/// What ends a request early. The functions below a step pass it up with `?`; the driver turns it into the next step.
pub(super) enum Interruption {
    /// The cursor has decided already.
    Next(Box<NextStep>),
    /// A failure, which the cursor still has to judge.
    Trouble(Trouble),
    /// A refresh was asked for while a list was being read.
    Refresh,
    /// A refresh was asked for during a watch, and has been paid for.
    PaidRefresh,
    /// More keys are waited for than can be looked up one by one.
    Relist,
    /// The queue is closed: the informer stops.
    Closed,
}

impl From<NextStep> for Interruption {
    fn from(step: NextStep) -> Self {
        Self::Next(Box::new(step))
    }
}

impl From<Trouble> for Interruption {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<StreamError> for Interruption {
    fn from(error: StreamError) -> Self {
        Self::Trouble(error.into())
    }
}

impl From<SourceError> for Interruption {
    fn from(error: SourceError) -> Self {
        Self::Trouble(error.into_trouble())
    }
}

impl From<Closed> for Interruption {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

//! Errors of the command and their exit codes.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use kube_informer::error::BuildError;

use crate::plain::plain_lines;

/// A message for stderr, and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The object was not found, or `diff` found differences.
    pub(crate) fn negative(message: impl Display) -> Self {
        Self { code: 1, message: message.to_string() }
    }

    /// Whether it is the answer to a question, and no error.
    pub(crate) fn is_negative(&self) -> bool {
        self.code == 1
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { code: 2, message: message.to_string() }
    }

    /// No factory can be built: its options are wrong, or there is no client, for lack of credentials for example.
    pub(crate) fn unbuilt(error: BuildError) -> Self {
        match error.cluster_error() {
            Some(_) => Self::cluster(error),
            None => Self::usage(error),
        }
    }

    /// There is no cluster, or it cannot be reached, or it refuses a request.
    pub(crate) fn cluster(message: impl Display) -> Self {
        Self { code: 3, message: message.to_string() }
    }

    /// Something on this machine fails: the output cannot be written, or a port is taken.
    pub(crate) fn local(message: impl Display) -> Self {
        Self { code: 4, message: message.to_string() }
    }

    /// The user interrupted the command before it was done.
    pub(crate) fn interrupted() -> Self {
        Self { code: 130, message: String::new() }
    }

    /// The reader of the output has closed the pipe. That is no error, and nothing is printed.
    fn nobody_reads() -> Self {
        Self { code: 0, message: String::new() }
    }

    /// Whether the reader of the output has closed the pipe.
    pub(crate) fn is_nobody_reads(&self) -> bool {
        self.code == 0
    }

    /// Prints the message and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            anstream::eprintln!("error: {}", plain_lines(&self.message));
        }
        ExitCode::from(self.code)
    }
}

/// For commands whose exit code is the answer: they give it also if nobody reads what they write beside it.
pub(crate) fn unless_nobody_reads(written: io::Result<()>) -> Result<(), Failure> {
    written
        .map_err(Failure::from)
        .or_else(|failure| if failure.is_nobody_reads() { Ok(()) } else { Err(failure) })
}

/// The only I/O of the commands is their output, so an I/O error means that it cannot be written.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::nobody_reads(),
            _ => Self::local(format!("cannot write the output: {error}")),
        }
    }
}

//! How the command ends when it cannot do what was asked.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use crate::plain::plain_lines;

/// What is said on stderr, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The answer is no: not found, or different.
    pub(crate) fn negative(message: impl Display) -> Self {
        Self { code: 1, message: message.to_string() }
    }

    /// What was asked for makes no sense.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { code: 2, message: message.to_string() }
    }

    /// The cluster is not there, not reached, or refuses.
    pub(crate) fn cluster(message: impl Display) -> Self {
        Self { code: 3, message: message.to_string() }
    }

    /// Something on this machine fails: the output cannot be written, a port cannot be had.
    pub(crate) fn local(message: impl Display) -> Self {
        Self { code: 4, message: message.to_string() }
    }

    /// The user had enough before there was an answer.
    pub(crate) fn interrupted() -> Self {
        Self { code: 130, message: String::new() }
    }

    /// Whoever read our output has gone: there is nobody to tell, and nothing has failed.
    fn nobody_reads() -> Self {
        Self { code: 0, message: String::new() }
    }

    /// Says it and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            anstream::eprintln!("error: {}", plain_lines(&self.message));
        }
        ExitCode::from(self.code)
    }
}

/// What is written fails, if anything of ours does.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::nobody_reads(),
            _ => Self::local(format!("cannot write the output: {error}")),
        }
    }
}

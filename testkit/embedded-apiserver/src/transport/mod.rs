//! The ways in which requests arrive: over TCP, or from within the process.

mod hosts;
mod memory;
mod patience;
mod stop;
mod tcp;

pub(crate) use hosts::Hosts;
pub use memory::{AnswerBody, InMemory};
pub(crate) use stop::Stop;
pub use tcp::TcpServer;

//! The ways in which requests arrive: over TCP, or from within the process.

mod memory;
mod patience;
mod stop;
mod tcp;

pub use memory::{AnswerBody, InMemory};
pub(crate) use stop::Stop;
pub use tcp::Endpoint;

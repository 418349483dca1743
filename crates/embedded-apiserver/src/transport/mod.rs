//! How requests come in: over TCP, or from within the process.

mod memory;
mod patience;
mod tcp;

pub use memory::InMemory;
pub use tcp::Endpoint;

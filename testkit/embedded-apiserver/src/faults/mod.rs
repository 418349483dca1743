//! Faults that tests inject.

mod answers;
mod armed;
mod effect;
mod fault;
mod items;
mod lines;
mod plan;
mod stream;

pub(crate) use armed::Faults;
pub use armed::InjectedServerFault;
pub use fault::ServerFault;
pub(crate) use plan::Before;

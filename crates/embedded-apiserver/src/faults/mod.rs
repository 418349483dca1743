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
pub use armed::InjectedFault;
pub use fault::Fault;
pub(crate) use plan::Before;

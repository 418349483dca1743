//! Handlers: their pending events, and the tasks that call them.

pub(crate) mod builder;
pub(crate) mod event;
mod filter;
pub(crate) mod listener;
pub(crate) mod registration;
pub(crate) mod runner;
pub(crate) mod stream;
mod typed;

pub use builder::{Handler, async_handler, handler};
pub use event::Event;
pub use registration::Registration;
pub use stream::EventStream;
pub use typed::TypedHandler;

//! Kubernetes shared informers for Rust.
#![allow(dead_code)] // TEMPORARY while the engine is being put together

mod delta;
mod handler;
mod key;
mod kind;
mod object;
mod reflector;
mod report;
mod scope;
mod shared;
mod source;
mod store;
mod version;

pub use handler::{
    DrainTimeout, Event, EventStream, Handler, HandlerEnded, HandlerStats, Registration, TypedHandler,
    async_handler, handler,
};
pub use key::{ObjectKey, ParseKeyError};
pub use kind::{ClusterWide, DynamicScope, Kind, KindInfo, KindScope, Namespaced};
pub use object::{Labels, Object, OwnerReference};
pub use report::{Cause, Failure};
pub use scope::Scope;
pub use source::{
    ByteStream, HttpFailure, ListParams, ListWatch, Request, SourceError, Verb, VersionMatch, WatchParams,
};
pub use version::{ResourceVersion, Uid};

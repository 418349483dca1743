//! Kubernetes shared informers for Rust.

mod delta;
mod handler;
mod key;
mod kind;
mod lister;
mod metrics;
mod object;
mod reflector;
mod report;
mod scope;
mod settings;
mod shared;
mod source;
mod status;
mod store;
mod version;

pub use handler::{
    DrainTimeout, Event, EventStream, Handler, HandlerEnded, HandlerStats, Registration, TypedHandler,
    async_handler, handler,
};
pub use key::{ObjectKey, ParseKeyError};
pub use kind::{
    AcrossCluster, ClusterWide, DynamicScope, InNamespaces, Kind, KindInfo, KindScope, Namespaced,
};
pub use lister::{Lister, NamespaceLister, NotFound};
pub use object::{
    DecodeError, FieldPath, InvalidObject, Labels, Object, OwnerReference, ParseFieldPathError,
};
pub use report::{Cause, Failure};
pub use scope::Scope;
pub use settings::{Settings, SettingsError, StreamingList};
pub use shared::{
    AlreadyStarted, BuildError, Index, IndexError, IndexValues, Informer, InformerBuilder, InformerStatus,
    NotSynced, SharedInformer, Stopped, UnsyncedScope, WaitError,
};
pub use source::{
    ByteStream, Hold, HttpFailure, HttpSource, ListParams, ListWatch, Request, ScriptedSource, ScriptedState,
    SourceError, Verb, VerbMatch, VersionMatch, WatchParams,
};
pub use status::{LastError, Phase, RelistReason, ScopeStatus};
pub use version::{ResourceVersion, Uid};

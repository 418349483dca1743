//! Kubernetes shared informers for Rust: one watch per kind, an indexed local cache to read from, and any number of
//! handlers that hear every add, update and delete, whatever happens to the connection.
//!
//! ```text
//!  source ──▶ reflector ──▶ delta queue ──▶ store ──▶ mailbox ──▶ handler
//!  (HTTP)     (list, watch,  (in order,       ├─────▶ mailbox ──▶ stream
//!              recovery)      bounded)        └─────▶ listers, indexes
//! ```
//!
//! # In one minute
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_informer::{HttpSource, SharedInformer, find_cluster, handler};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = HttpSource::new::<Pod>(find_cluster(None, None).await?.config)?;
//! let pods = SharedInformer::<Pod>::builder(source).build()?;
//! pods.add_event_handler(
//!     handler()
//!         .on_add(|pod| println!("added {}", pod.key()))
//!         .on_update(|_, pod| println!("changed {}", pod.key()))
//!         .on_delete(|pod| println!("deleted {}", pod.key())),
//! )?;
//! tokio::spawn({
//!     let pods = pods.clone();
//!     async move { pods.run(std::future::pending()).await }
//! });
//! pods.wait_synced(Duration::from_secs(30)).await?;
//! for pod in pods.lister().namespace("default").list() {
//!     println!("{} {:?}", pod.name(), pod.get()?.status);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What you can rely on
//!
//! - **The cache becomes what the server has.** After any sequence of broken connections, expired history, restarts and
//!   restored backups the store equals the server, and no delete is lost: those missed are found on the next list.
//! - **Every handler hears a legal history per key**: an add, updates whose `old` is what it was told last, a delete. A new
//!   uid under the same name is a delete and an add.
//! - **A slow handler delays nobody and costs bounded memory**: what it has yet to hear is merged per key.
//! - **A relist is one step.** Readers and handlers never see half of a list.
//! - **Several namespaces are one cache**, and they may come and go: a namespace that is denied is named while the others
//!   work, and one that is removed takes its objects along, in one step and told to every handler.
//! - **Your code cannot break the informer.** Panics in handlers, index functions and transforms are caught, counted and
//!   reported; no lock is held while your code runs.
//! - **Objects are bytes until you ask.** Metadata is at hand; [`Object::get`] decodes, [`Object::view`] decodes a part.
//!
//! # Testing your handlers
//!
//! [`ScriptedSource`] is an API server in the process: it lists, watches, pages and bookmarks, and fails on command.

mod delta;
mod factory;
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

pub use factory::generated as groups;
pub use factory::{
    Access, FactoryBuilder, FactoryError, FactoryNotSynced, Lease, ResourceError, ResourceName, Selection,
    SharedInformerFactory, Sources,
};
pub use handler::{
    DrainTimeout, Event, EventStream, Handler, HandlerEnded, HandlerStats, HandlerStatus, Registration,
    TypedHandler, async_handler, handler,
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
    AddedNamespace, AlreadyStarted, BuildError, Index, IndexError, IndexKey, IndexValues, Informer,
    InformerBuilder, InformerStatus, NamespaceError, NotSynced, RemovedNamespace, SharedInformer, Stopped,
    UnsyncedScope, WaitError,
};
pub use source::{
    ByteStream, FindClusterError, FoundCluster, Hold, HttpFailure, HttpSource, ListParams, ListWatch,
    Request, ScriptedSource, ScriptedState, SourceError, Verb, VerbMatch, VersionMatch, WatchParams,
    find_cluster,
};
pub use status::{LastError, Phase, RelistReason, ScopeStatus};
pub use version::{ResourceVersion, Uid};

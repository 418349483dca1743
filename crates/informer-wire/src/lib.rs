//! Inner crate of `kube-informer`, not for direct use: its names may change in any release.
//!
//! Kubernetes' words as plain data, below everything that waits: what an API server sends, what it is asked, and how a
//! program names a part of it. Every other crate of this project that touches JSON, a key, a version or a kind takes it
//! from here, so that each is written once.
//!
//! - [`json`]: the grammar of JSON in raw bytes: where strings, values and members begin and end.
//! - [`framing`]: where the events of a watch and the items of a list begin and end in the chunks of a body.
//! - [`ObjectKey`], [`ResourceVersion`], [`Uid`], [`KindInfo`]: the identity of objects and kinds.
//! - [`document`]: a whole object, as JSON and (feature `yaml`) as YAML.
//! - [`difference`]: the fields in which two versions of an object differ.
//! - [`path`]: paths into objects, as people write them.
//! - [`selector`]: label and field selectors.
//! - [`names`]: the names and labels that Kubernetes accepts.
//! - [`status`]: the error answers of a server.
//! - [`QueueStatus`], [`status_document`]: how a program says what its queues and informers do.
//!
//! Everything here computes: there is no async code, no lock, no clock and no network.

pub mod difference;
pub mod document;
pub mod framing;
pub mod json;
pub mod key;
pub mod kind;
pub mod names;
pub mod path;
mod queue_status;
pub mod selector;
pub mod status;
pub mod status_document;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod version;

pub use key::ObjectKey;
pub use kind::{KindInfo, ResourceId};
pub use path::Path;
pub use queue_status::QueueStatus;
pub use status::Status;
pub use version::{ResourceVersion, Uid};

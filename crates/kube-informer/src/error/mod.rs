//! All errors of this crate. Each has private contents, questions (`is_…`) and accessors, so that it can grow.
//!
//! | error | of |
//! |---|---|
//! | [`BuildError`] | building an informer or a factory: settings that cannot work |
//! | [`ClusterError`] | finding a cluster and making a client for it |
//! | [`ResourceError`] | finding a resource of the server by its name |
//! | [`SourceError`] | one request, as a [`ListWatch`](crate::source::ListWatch) reports it |
//! | [`SyncError`] | waiting until caches are filled |
//! | [`WaitError`] | all other waits |
//! | [`InformerError`] | calls that an informer refuses: it has stopped, it looks at no such namespace, it has no such index |
//! | [`ObjectError`] | JSON that does not decode or makes no object, text that is no key |
//! | [`NotFoundError`] | reading an object that the cache does not hold |
//!
//! What goes wrong while an informer runs ends no call: it is told as a [`Failure`](crate::status::Failure). The page `docs/errors.md`
//! lists the texts and says what to do about each.

mod build;
mod cluster;
mod informer;
mod not_found;
mod object;
mod resource;
mod source;
mod sync;
mod wait;

pub use self::build::BuildError;
pub use self::cluster::ClusterError;
pub use self::informer::InformerError;
pub use self::not_found::NotFoundError;
pub use self::object::ObjectError;
pub use self::resource::ResourceError;
pub use self::source::SourceError;
pub use self::sync::SyncError;
pub use self::wait::WaitError;

pub(crate) use self::cluster::NoCluster;
pub(crate) use self::informer::IndexError;
pub(crate) use self::resource::NoResource;
pub(crate) use self::source::{HttpFailure, SourceFailure, status_name};
pub(crate) use self::sync::Awaited;
pub(crate) use self::wait::Unmet;

//! All errors of this crate. Each has private fields and is read with methods (`is_…` and accessors), so that fields
//! can be added later.
//!
//! | error | returned when |
//! |---|---|
//! | [`BuildError`] | an informer or a factory is built with options that cannot work |
//! | [`ClusterError`] | no cluster is found, or no client can be made for it |
//! | [`ResourceError`] | no resource of the server is found by its name |
//! | [`SourceError`] | a request of a [`ListWatch`](crate::source::ListWatch) fails |
//! | [`SyncError`] | caches are not filled in time |
//! | [`WaitError`] | any other wait does not succeed |
//! | [`InformerError`] | an informer refuses a call: it has stopped, it does not watch the namespace, it has no such index |
//! | [`ObjectError`] | JSON does not decode or is not an object of the kind |
//! | [`KeyError`] | a text is not the key of an object |
//! | [`NotFoundError`] | the cache does not hold the object |
//!
//! A failure while an informer runs is not returned by any call: it is reported to the error callback and in the status
//! as a [`Failure`](crate::status::Failure). The page `docs/errors.md` lists the texts and says what to do about each.

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
pub use informer_wire::key::KeyError;

pub(crate) use self::cluster::NoCluster;
pub(crate) use self::resource::NoResource;
pub(crate) use self::sync::Awaited;
pub(crate) use self::wait::Unmet;

//! Own writes: reading and writing the objects of an informer so that nobody acts on a cache that lacks what he wrote.
//!
//! [`Objects`] is a handle for one run of a reconcile function. It writes through the API and remembers what came back:
//!
//! - **Within the run** its reads already have what the run has written, whether the watch has brought it or not.
//! - **The next run of the same key** waits until the caches have passed those versions. It is woken by the commit that brings
//!   them, and nobody else waits. After [`Controller::patience`](crate::Controller::patience) it runs anyway,
//!   [`Ctx::is_stale`](crate::Ctx::is_stale) says so, and it reads what the runs before it wrote as they did.
//! - **An event that shows nothing but what runs of the same key wrote** leads to no further run, and ends no backoff. For this a patch of
//!   what the controller reconciles, owns or watches is first sent with the version that is known here; after a conflict it is sent as it
//!   was given, and its event is news. So is what the run could not read: at an informer of which only the server knows whether its field
//!   selector selects the object, and at one of another factory.
//!
//! This holds for a resource, not for a handle: what is written through one informer the others of the same resource and cluster
//! have at once as well, each as its own options make it, and the next run waits for all of them. Those are the informers of the
//! controller, and every other one that [`Ctx::objects`](crate::Ctx::objects) was called with. Two informers are of one cluster if
//! they are of one [factory](kube_informer::SharedInformer::same_cluster), or if the controller has a [client](crate::Controller::client).
//!
//! What an informer is never going to show, because its selectors do not select it or its transform refuses it, is in none of its
//! lists. That is said once and counted: a function that creates what it does not find would create it again and again.
//!
//! What the server does not answer with an object is settled otherwise: after an eviction, and what else is answered with a
//! `Status`, the object is read; a write whose answer was lost is settled by a list of that object, which the informer makes; the
//! deletion of a collection by reading the whole scope again. If the server goes back in time, there is nothing to wait for any
//! more, and the key is reconciled.
//!
//! ```
//! use informer_controller::{Ctx, Next, ReconcileError};
//! use k8s_openapi::api::apps::v1::ReplicaSet;
//! use k8s_openapi::api::core::v1::Pod;
//! use kube_informer::SharedInformer;
//!
//! async fn reconcile(ctx: Ctx<ReplicaSet>, pods: SharedInformer<Pod>) -> Result<Next, ReconcileError> {
//!     let Some(set) = ctx.object() else { return Ok(Next::Done) };
//!     if ctx.is_stale() {
//!         return Ok(Next::After(std::time::Duration::from_secs(5)));
//!     }
//!     let wanted = usize::try_from(set.get()?.spec.replicas.unwrap_or(1))?;
//!     let pods = ctx.objects(&pods);
//!     // What this writes, `owned` has at once.
//!     while ctx.owned::<Pod>().len() < wanted {
//!         pods.create(&pod_of(&ctx)?).await?;
//!     }
//!     for pod in ctx.owned::<Pod>().iter().skip(wanted) {
//!         pods.delete(pod).await?;
//!     }
//!     // The next run begins when the cache has all of it.
//!     Ok(Next::Done)
//! }
//! # fn pod_of(_: &Ctx<ReplicaSet>) -> Result<Pod, ReconcileError> { Ok(Pod::default()) }
//! ```
//!
//! [`Tracker`] is the part that remembers, for those who have no [`Controller`](crate::Controller).

mod answer;
mod cache;
mod delete;
mod echo;
mod error;
mod finalizers;
mod objects;
mod overlay;
mod run;
mod seen;
mod send;
mod status;
mod tickets;
mod tracker;
mod write;

pub(crate) use self::cache::Known;
pub(crate) use self::echo::{Echoes, Listener};
pub use self::error::WriteError;
pub(crate) use self::error::server_text;
pub use self::objects::Objects;
pub use self::run::Run;
pub use self::tracker::Tracker;

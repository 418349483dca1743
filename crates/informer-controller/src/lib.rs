//! From event to reconcile, on [`kube_informer`]. The guide is `docs/write-a-controller.md` of the repository.
//!
//! | module | what it has |
//! |---|---|
//! | [`controller`] | [`Controller`]: keys from events, workers, retries, timeouts, an orderly end |
//! | [`writes`] | [`Objects`]: own writes are read at once, and waited for before the next run; [`Tracker`] does it without a controller |
//! | [`election`] | [`Election`]: one of several replicas works; the others are ready to |
//! | [`recorder`] | [`EventRecorder`]: events for people, in series, with bounds |
//! | [`conditions`] | conditions of a status |
//! | [`slow_start`] | many writes that stop at the first failure |
//! | [`queue`] | the work queue: every key once, one worker a key, priorities that starve nobody, retries that back off |
//!
//! # Metrics
//!
//! They go to the recorder of the [`metrics`](https://docs.rs/metrics) crate that is installed when a controller, queue, election or
//! recorder is built. Most have names of client-go and controller-runtime, so dashboards for those work.
//!
//! | metric | type | labels | whose name |
//! |---|---|---|---|
//! | `workqueue_depth` | gauge | `name` | client-go |
//! | `workqueue_adds_total`, `workqueue_retries_total` | counter | `name` | client-go |
//! | `workqueue_queue_duration_seconds`, `workqueue_work_duration_seconds` | histogram | `name` | client-go |
//! | `workqueue_unfinished_work_seconds`, `workqueue_longest_running_processor_seconds` | gauge | `name` | client-go |
//! | `workqueue_oldest_item_age_seconds` | gauge | `name` | ours: how long that has been due which has waited longest |
//! | `controller_runtime_reconcile_total` | counter | `controller`, `result` | controller-runtime |
//! | `controller_runtime_reconcile_errors_total`, `controller_runtime_terminal_reconcile_errors_total` | counter | `controller` | controller-runtime |
//! | `controller_runtime_reconcile_panics_total`, `controller_runtime_reconcile_timeouts_total` | counter | `controller` | controller-runtime |
//! | `controller_runtime_reconcile_time_seconds` | histogram | `controller` | controller-runtime |
//! | `controller_runtime_active_workers`, `controller_runtime_max_concurrent_reconciles` | gauge | `controller` | controller-runtime |
//! | `reconcile_parked` | gauge | `controller` | ours: keys that wait until the caches have what was written for them |
//! | `reconcile_parked_seconds` | histogram | `controller` | ours: how long they waited |
//! | `reconcile_stale_total` | counter | `controller` | ours: keys that waited for too long, and ran on an old cache |
//! | `reconcile_hidden_writes_total` | counter | `controller` | ours: writes that no run ever reads: selectors, namespaces or the transform of an informer leave them out |
//! | `leader_election_master_status` | gauge | `name` | client-go: 1 for the leader |
//! | `leader_election_slowpath_total` | counter | `name` | client-go: renewals that had to read the Lease first |
//! | `leader_election_lost_total` | counter | `name` | ours: how often leading ended against the program's will |
//! | `leader_election_write_seconds` | histogram | `name` | ours: from a write of the Lease to its answer |
//! | `events_written_total` | counter | `controller` | ours: events that the server took |
//! | `events_dropped_total` | counter | `controller`, `reason` | ours: events that it did not get, or refused |
#![forbid(unsafe_code)]

mod clock;
pub mod conditions;
pub mod controller;
pub mod election;
pub mod queue;
pub mod recorder;
mod slow_start;
pub mod writes;

pub use controller::{Controller, Ctx, Next, ReconcileError};
pub use election::{Election, Leadership};
/// The library whose informers controllers are built on, in the version that fits.
pub use kube_informer;
pub use recorder::EventRecorder;
pub use slow_start::{SlowStartError, slow_start};
pub use writes::{Objects, Tracker, WriteError};

//! From event to reconcile, on [`kube_informer`]. The guide is `docs/write-a-controller.md` of the repository.
//!
//! | module | what it has |
//! |---|---|
//! | [`controller`] | [`Controller`]: keys from events, workers, retries, timeouts, an orderly end |
//! | [`writes`] | [`Objects`]: own writes are read at once, and waited for before the next run; [`Tracker`] does it without a controller |
//! | [`election`] | [`Election`]: one of several replicas works; the others are ready to |
//! | [`recorder`] | [`Recorder`]: events for people, in series, with bounds |
//! | [`conditions`] | conditions of a status |
//! | [`slow_start`] | many writes that stop at the first failure |
//! | [`queue`] | the work queue: every key once, one worker a key, priorities that starve nobody, retries that back off |
#![forbid(unsafe_code)]

pub mod conditions;
pub mod controller;
pub mod election;
pub mod queue;
pub mod recorder;
mod slow_start;
pub mod writes;

pub use controller::{Controller, Ctx, Next, ReconcileError};
pub use election::{Election, Leadership};
pub use recorder::Recorder;
pub use slow_start::{Stopped, slow_start};
pub use writes::{Objects, Tracker, WriteError};

/// The Rust examples of these pages are compiled as doc tests, and run unless they are marked as needing a cluster. `cargo
/// xtask tidy` finds pages that are missing here.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/freshness.md")]
    struct Freshness;

    #[doc = include_str!("../../../docs/from-client-go.md")]
    struct FromClientGo;

    #[doc = include_str!("../../../docs/from-kube-rs.md")]
    struct FromKubeRs;

    #[doc = include_str!("../../../docs/getting-started.md")]
    struct GettingStarted;

    #[doc = include_str!("../../../docs/handlers.md")]
    struct Handlers;

    #[doc = include_str!("../../../docs/indexes.md")]
    struct Indexes;

    #[doc = include_str!("../../../docs/leader-election.md")]
    struct LeaderElection;

    #[doc = include_str!("../../../docs/memory.md")]
    struct Memory;

    #[doc = include_str!("../../../docs/command.md")]
    struct Command;

    #[doc = include_str!("../../../docs/page.md")]
    struct Page;

    #[doc = include_str!("../../../docs/production.md")]
    struct Production;

    #[doc = include_str!("../../../docs/recording.md")]
    struct Recording;

    #[doc = include_str!("../../../docs/testing-your-code.md")]
    struct TestingYourCode;
}

//! From event to reconcile.

use super::Crate;

pub(super) const RULES: Crate = Crate {
    name: "informer-controller",
    levels: &[
        (&["clock"], &[]),
        (&["slow_start"], &[]),
        (&["conditions"], &["clock"]),
        (&["recorder"], &["clock"]),
        (&["queue"], &[]),
        (&["election"], &[]),
        (&["writes"], &["election"]),
        (&["controller"], &["election", "queue", "recorder", "writes"]),
    ],
    spawning: &[
        // Workers, and the end of all of them.
        "controller",
        // Who keeps the Lease.
        "election/mod",
        // Events are written beside what they tell of.
        "recorder/mod",
        // A write goes on when whoever asked for it is gone.
        "writes/send",
    ],
    pure: &[
        "conditions",
        "election/core",
        "election/timing",
        "queue/core",
        "queue/entries",
        "queue/limit",
        "queue/ready",
        "queue/table",
        "queue/totals",
        "recorder/core",
        "recorder/event",
        "recorder/limit",
        "writes/seen",
        "writes/tickets",
        "writes/tracker/known",
    ],
    // A queue knows no Kubernetes.
    kube: &["clock", "conditions", "controller", "election", "recorder", "writes"],
    without: &[],
};

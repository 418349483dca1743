//! The command.

use super::{ALL_BELOW, Crate};

pub(super) const RULES: Crate = Crate {
    name: "informer-cli",
    levels: &[
        (&["clock"], &[]),
        (&["plain"], &[]),
        (&["secrets"], &[]),
        (&["targets"], &[]),
        (&["content"], ALL_BELOW),
        (&["failure"], ALL_BELOW),
        (&["logging"], ALL_BELOW),
        (&["kubeconfig"], ALL_BELOW),
        (&["program"], ALL_BELOW),
        (&["refusal"], ALL_BELOW),
        (&["screen"], ALL_BELOW),
        // The arguments of `get` and `watch` name their outputs and fields.
        (&["args", "cluster", "ending", "get", "kinds", "listing", "output", "watch"], ALL_BELOW),
        (&["manual"], ALL_BELOW),
        (&["name"], ALL_BELOW),
        (&["diff"], ALL_BELOW),
        (&["record"], ALL_BELOW),
        (&["replay"], ALL_BELOW),
        (&["serve"], ALL_BELOW),
        (&["top"], ALL_BELOW),
    ],
    spawning: &["top/source", "top/terminal", "watch/total"],
    pure: &[
        "args", "content", "failure", "logging", "manual", "name", "output", "plain", "screen", "secrets",
        "targets",
    ],
    kube: &[
        "clock", "content", "diff", "get", "kinds", "output", "program", "record", "replay", "top", "watch",
    ],
    without: &[],
};

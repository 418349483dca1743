//! Real servers for tests.

use super::{ALL_BELOW, Crate};

pub(super) const RULES: Crate = Crate {
    name: "test-cluster",
    levels: &[
        (&["api"], &[]),
        (&["authority"], &[]),
        (&["backup"], &[]),
        (&["credentials"], &[]),
        (&["etcd"], &[]),
        (&["logs"], &[]),
        (&["pins"], &[]),
        (&["ports"], &[]),
        (&["process"], &[]),
        (&["options"], ALL_BELOW),
        (&["flags"], ALL_BELOW),
        // What is built is kept, and what is kept need not be built.
        (&["available", "binaries", "cache", "go_build"], ALL_BELOW),
        (&["export"], ALL_BELOW),
        (&["tool"], ALL_BELOW),
        (&["oracle"], ALL_BELOW),
        (&["cluster"], ALL_BELOW),
        (&["keep"], ALL_BELOW),
    ],
    spawning: &["oracle"],
    pure: &["api", "authority", "available", "etcd", "flags", "keep", "options"],
    kube: &[],
    without: &[],
};

//! What an informer holds and decides.

use super::{Crate, OF_A_RUNTIME};

pub(super) const RULES: Crate = Crate {
    name: "informer-core",
    levels: &[
        (&["scope"], &[]),
        (&["cause"], &["scope"]),
        (&["status"], &[]),
        (&["panics"], &[]),
        (&["host"], &["cause", "status"]),
        (&["object"], &["cause", "host", "panics"]),
        (&["delta"], &["object", "scope"]),
        (&["store"], &["cause", "delta", "host", "object", "panics", "scope"]),
        (&["mailbox"], &["object", "store"]),
        (&["reflector"], &["delta", "object", "scope", "status"]),
    ],
    // The thread that trains the dictionary.
    spawning: &["object/packed/trainer"],
    pure: &["mailbox", "reflector", "store/apply", "store/plan", "store/replace"],
    kube: &[],
    without: &[OF_A_RUNTIME],
};

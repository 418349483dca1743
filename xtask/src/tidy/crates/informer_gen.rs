//! Accessors of kinds, written as code.

use super::{ALL_BELOW, Crate, OF_A_RUNTIME};

pub(super) const RULES: Crate = Crate {
    name: "informer-gen",
    levels: &[
        (&["difference"], &[]),
        (&["names"], &[]),
        (&["problem"], &[]),
        // The model is made by rules, which are about it.
        (&["model", "rules"], ALL_BELOW),
        (&["derive"], ALL_BELOW),
        (&["description"], ALL_BELOW),
        (&["emit"], ALL_BELOW),
        (&["input"], ALL_BELOW),
    ],
    spawning: &[],
    pure: &["derive", "description", "difference", "emit", "model", "names", "problem", "rules"],
    kube: &[],
    without: &[OF_A_RUNTIME],
};

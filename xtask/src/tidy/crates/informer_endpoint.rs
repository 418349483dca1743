//! What a program says of itself over HTTP.

use super::{ALL_BELOW, Crate};

pub(super) const RULES: Crate = Crate {
    name: "informer-endpoint",
    levels: &[
        (&["answer"], &[]),
        (&["connections"], &[]),
        (&["digests"], &[]),
        (&["recorder"], &[]),
        (&["withheld"], &[]),
        (&["guard"], ALL_BELOW),
        (&["page"], ALL_BELOW),
        (&["readiness"], ALL_BELOW),
        (&["debug"], ALL_BELOW),
        // A stream has the endpoint that it tells of.
        (&["browse", "endpoint", "stream"], ALL_BELOW),
        (&["listen"], ALL_BELOW),
        (&["route"], ALL_BELOW),
    ],
    spawning: &["browse/watching", "connections", "listen"],
    pure: &["answer", "debug", "guard", "page", "readiness", "recorder", "withheld"],
    kube: &[],
    without: &[],
};

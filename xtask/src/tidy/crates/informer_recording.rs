//! What went between an informer and a server, kept and played again.

use super::{ALL_BELOW, Crate};

pub(super) const RULES: Crate = Crate {
    name: "informer-recording",
    levels: &[
        (&["record"], &[]),
        (&["redact"], &[]),
        (&["file"], ALL_BELOW),
        (&["split"], ALL_BELOW),
        (&["target"], ALL_BELOW),
        (&["exchange"], ALL_BELOW),
        (&["timeline"], ALL_BELOW),
        (&["recorder"], ALL_BELOW),
        (&["source"], ALL_BELOW),
        // A recording gives out what plays it.
        (&["recording", "replay"], ALL_BELOW),
        (&["http"], ALL_BELOW),
    ],
    spawning: &["http", "recorder"],
    pure: &["exchange", "file", "record", "redact", "split", "target", "timeline"],
    kube: &["http/proxy", "source"],
    without: &[],
};

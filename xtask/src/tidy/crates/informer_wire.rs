//! What Kubernetes sends and is asked, as plain data.

use super::{Crate, EVERYWHERE, OF_A_RUNTIME};

pub(super) const RULES: Crate = Crate {
    name: "informer-wire",
    levels: &[
        (&["difference"], &[]),
        // JSON finds what a path names, and a path is read with the grammar of JSON.
        (&["json", "path"], &[]),
        (&["key"], &[]),
        (&["kind"], &[]),
        (&["names"], &[]),
        (&["queue_status"], &[]),
        (&["status"], &[]),
        (&["version"], &[]),
        (&["framing"], &["json", "key", "status"]),
        (&["selector"], &["names"]),
        (&["document"], &["json", "kind"]),
        (&["status_document"], &["queue_status"]),
        (&["testing"], &[]),
    ],
    spawning: &[],
    pure: &[EVERYWHERE],
    kube: &[],
    without: &[OF_A_RUNTIME, &["fastrand", "parking_lot"]],
};

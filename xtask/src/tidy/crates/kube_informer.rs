//! What users name, and what waits.

use super::{Crate, Level};

pub(super) const RULES: Crate = Crate {
    name: "kube-informer",
    levels: LEVELS,
    spawning: &[
        // Every task of an informer, in handles that end it when they are dropped; threads of blocking handlers.
        "informer/tasks",
        // Files of credentials are read, and clients built, beside the runtime's workers. A task for each connection.
        "source/http",
    ],
    pure: &[],
    kube: &[
        // What the factory is given, and the dynamic types that it gives out.
        "factory",
        // Our own types by the names of kube's.
        "kind",
        "lib",
        // Selectors.
        "lister",
        "object/labels",
        // The transform of any object.
        "options",
        "informer/blueprint",
        // A client to write with, and what was written, to wait for it.
        "informer/client",
        "informer/wait",
        // The one place that talks to a server, and who passes its client on.
        "source/http",
        "source/sources",
    ],
    without: &[],
};

const LEVELS: &[Level] = &[
    (&["kind"], &[]),
    (&["metrics"], &["kind"]),
    (&["report"], &["kind", "metrics"]),
    (&["status"], &["kind", "metrics", "report"]),
    (&["error"], &["kind", "report", "status"]),
    (&["object"], &["error", "kind", "report"]),
    (&["source"], &["error", "kind", "object"]),
    (&["options"], &["error", "kind", "object", "source"]),
    (&["fifo"], &[]),
    (&["reflector"], &["error", "fifo", "kind", "object", "options", "report", "source", "status"]),
    (&["handler"], &["error", "metrics", "object", "report", "status"]),
    (&["lister"], &["error", "kind", "object", "report"]),
    (
        &["informer"],
        &[
            "error",
            "fifo",
            "handler",
            "kind",
            "lister",
            "metrics",
            "object",
            "options",
            "reflector",
            "report",
            "source",
            "status",
        ],
    ),
    (
        &["factory"],
        &[
            "error", "handler", "informer", "kind", "lister", "object", "options", "report", "source",
            "status",
        ],
    ),
    (&["testing"], &["source"]),
];

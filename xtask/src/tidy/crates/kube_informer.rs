//! What users name, and what waits.

use super::{Crate, Level};

pub(super) const RULES: Crate = Crate {
    name: "kube-informer",
    levels: LEVELS,
    spawning: &[
        // Every task of an informer, in handles that end it when they are dropped; threads of blocking handlers.
        "informer/tasks",
        // The thread that trains the dictionary.
        "object/trainer",
        // Files of credentials are read, and clients built, beside the runtime's workers. A task for each connection.
        "source/http",
    ],
    pure: &[
        "handler/mailbox",
        "handler/pending",
        "reflector/backoff",
        "reflector/budget",
        "reflector/cursor",
        "reflector/newest",
        "reflector/recovery",
        "reflector/snapshot",
        "store/apply",
        "store/plan",
        "store/replace",
    ],
    kube: &[
        // What the factory is given, and the dynamic types that it gives out.
        "factory",
        // Our own types by the names of kube's.
        "kind",
        "lib",
        // Selectors.
        "lister",
        "object/labels",
        "store/indexer",
        // Times.
        "object/face",
        "object/metadata",
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
    (&["scope"], &[]),
    (&["metrics"], &["kind"]),
    (&["report"], &["kind", "metrics", "scope"]),
    (&["status"], &["kind", "metrics", "report", "scope"]),
    (&["error"], &["kind", "report", "status"]),
    (&["object"], &["error", "kind", "report"]),
    (&["source"], &["error", "kind", "object", "scope"]),
    (&["options"], &["error", "kind", "object", "source"]),
    (&["delta"], &["object", "scope"]),
    (&["store"], &["delta", "error", "object", "report", "scope"]),
    (&["reflector"], &["delta", "error", "kind", "object", "options", "report", "scope", "source", "status"]),
    (&["handler"], &["error", "metrics", "object", "report", "status", "store"]),
    (&["lister"], &["error", "kind", "object", "report", "scope", "store"]),
    (
        &["informer"],
        &[
            "delta",
            "error",
            "handler",
            "kind",
            "lister",
            "metrics",
            "object",
            "options",
            "reflector",
            "report",
            "scope",
            "source",
            "status",
            "store",
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

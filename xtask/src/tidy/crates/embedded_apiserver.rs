//! An API server inside the process.

use super::{ALL_BELOW, Crate};

pub(super) const RULES: Crate = Crate {
    name: "embedded-apiserver",
    levels: &[
        (&["body"], &[]),
        (&["chance"], &[]),
        (&["clock"], &[]),
        (&["go"], &[]),
        (&["kubeconfig"], &[]),
        // Kinds know how they are read and written, and whoever reads and writes asks them.
        (
            &[
                "api",
                "controllers",
                "defaults",
                "discovery",
                "faults",
                "front",
                "journal",
                "kinds",
                "managed",
                "openapi",
                "options",
                "read",
                "request",
                "schema",
                "select",
                "status",
                "storage",
                "transport",
                "write",
            ],
            ALL_BELOW,
        ),
        (&["builder", "server"], ALL_BELOW),
        (&["simulation"], ALL_BELOW),
        (&["testing"], ALL_BELOW),
    ],
    spawning: &["controllers/mod", "simulation/running", "transport/tcp"],
    pure: &["body", "defaults", "discovery", "go", "managed", "openapi", "schema", "select", "status"],
    kube: &[
        // Types that only Kubernetes' own have, such as quantities.
        "defaults/by_hand",
        "kinds/structural/formats",
        "schema/scalar",
        // A client of it.
        "kubeconfig",
        "server",
        "transport/memory",
        "transport/tcp",
    ],
    without: &[],
};

//! How much each library may have.

/// Of one library that is published.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) library: &'static str,
    /// Not for direct use: only what another library names of it has to grow without breaking, and to be called well.
    pub(super) is_inner: bool,
    /// Names in its root, modules counted.
    pub(super) root: usize,
    /// Public types and traits.
    pub(super) types: usize,
    /// Those that are errors.
    pub(super) errors: usize,
    /// Types of others that signatures may name, one on each line of this file. Their major versions are part of ours.
    pub(super) foreign: Option<&'static str>,
    /// Types to which nothing will be added.
    pub(super) complete: &'static [&'static str],
    /// Errors that do not say so in their name, and are still to be renamed.
    pub(super) misnamed: &'static [&'static str],
}

/// A library that names nothing that is to be mended.
const LIBRARY: Limits = Limits {
    library: "",
    is_inner: false,
    root: 0,
    types: 0,
    errors: 0,
    foreign: None,
    complete: &[],
    misnamed: &[],
};

pub(super) const LIMITS: &[Limits] = &[
    Limits { library: "informer-wire", is_inner: true, root: 21, types: 41, errors: 6, ..LIBRARY },
    Limits { library: "informer-core", is_inner: true, root: 10, types: 75, errors: 1, ..LIBRARY },
    Limits {
        library: "kube-informer",
        // D19 has these three numbers, too. Two of the names are crates whose types are in signatures.
        root: 32,
        types: 67,
        errors: 10,
        foreign: Some("crates/kube-informer/public-foreign-types.txt"),
        ..LIBRARY
    },
    // Programs fill in `QueueStatus` for queues of their own; it is the endpoint's, too.
    Limits {
        library: "informer-controller",
        root: 19,
        types: 27,
        errors: 5,
        complete: &["queue::QueueStatus"],
        ..LIBRARY
    },
    Limits {
        library: "informer-endpoint",
        root: 9,
        types: 7,
        errors: 1,
        complete: &["QueueStatus"],
        ..LIBRARY
    },
    Limits { library: "informer-recording", root: 14, types: 13, errors: 2, ..LIBRARY },
    Limits {
        library: "embedded-apiserver",
        root: 14,
        types: 14,
        errors: 1,
        // The verbs of Kubernetes are told apart by whoever counts requests.
        complete: &["Verb"],
        ..LIBRARY
    },
    Limits {
        library: "informer-gen",
        root: 15,
        types: 11,
        errors: 1,
        // A program that generates builds the model and reads it.
        complete: &["Availability", "File", "IndexSpec", "KindSpec", "SpecScope", "Style"],
        ..LIBRARY
    },
];

/// Names of types that two libraries have, each its own, and which they are. Each entry is to go with its twin.
pub(super) const TWINS: &[(&str, &str)] = &[];

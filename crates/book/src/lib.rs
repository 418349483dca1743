//! Tests of the documentation. The Rust examples of these pages are compiled as doc tests, and run unless they are marked as
//! needing a cluster; `tests/guide` has the guide, the Go and the YAML of the book, `tests/monitoring` the alerts and the
//! dashboard. `cargo xtask tidy` finds pages that are missing here.
//!
//! What the command prints on a page is tested where the command is built, in `informer-cli`, and the project of
//! `docs/custom-kinds.md` in `informer-gen`.

#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/freshness.md")]
    struct Freshness;

    #[doc = include_str!("../../../docs/from-client-go.md")]
    struct FromClientGo;

    #[doc = include_str!("../../../docs/from-kube-rs.md")]
    struct FromKubeRs;

    #[doc = include_str!("../../../docs/getting-started.md")]
    struct GettingStarted;

    #[doc = include_str!("../../../docs/handlers.md")]
    struct Handlers;

    #[doc = include_str!("../../../docs/indexes.md")]
    struct Indexes;

    #[doc = include_str!("../../../docs/leader-election.md")]
    struct LeaderElection;

    #[doc = include_str!("../../../docs/memory.md")]
    struct Memory;

    #[doc = include_str!("../../../docs/command.md")]
    struct Command;

    #[doc = include_str!("../../../docs/page.md")]
    struct Page;

    #[doc = include_str!("../../../docs/production.md")]
    struct Production;

    #[doc = include_str!("../../../docs/recording.md")]
    struct Recording;

    #[doc = include_str!("../../../docs/testing-your-code.md")]
    struct TestingYourCode;

    #[doc = include_str!("../../../testkit/embedded-apiserver/README.md")]
    struct EmbeddedApiserver;

    #[doc = include_str!("../../../crates/informer-controller/README.md")]
    struct InformerController;

    #[doc = include_str!("../../../crates/informer-endpoint/README.md")]
    struct InformerEndpoint;

    #[doc = include_str!("../../../crates/informer-recording/README.md")]
    struct InformerRecording;
}

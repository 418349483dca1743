//! `docs/errors.md` has the texts that users get to see, word for word, and none that nobody prints.
//!
//! What servers, proxies and connections say is put in here by hand; that they do say it, is shown by
//! `tests/e2e/errors` and `tests/e2e_embedded/errors`.

mod clusters;
mod objects;
mod requests;
mod usage;

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_core::{ApiResource, DynamicObject};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::support::SOON;
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::Kind;
use crate::report::advice;
use crate::source::{ScriptedSource, SourceError, Status};
use crate::status::Phase;

/// How long the page waits.
const WAITED: Duration = Duration::from_millis(10);

#[tokio::test(start_paused = true)]
async fn the_page_of_errors_has_every_text_and_no_other() {
    let page = page();
    let quoted = quoted(&page);
    let printed =
        [requests::texts().await, objects::texts().await, usage::texts().await, clusters::texts().await]
            .concat();
    let printed: BTreeSet<&str> = printed.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let missing: Vec<_> = printed.difference(&quoted).collect();
    let stale: Vec<_> = quoted.difference(&printed).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "the page lacks {missing:#?} and nobody prints {stale:#?}"
    );
}

#[test]
fn the_page_of_errors_has_every_cause_phase_and_advice() {
    let page = page();
    for cause in informer_core::cause::CAUSES {
        assert!(page.contains(&format!("`[{cause}]`")), "the cause {cause}");
    }
    for phase in [
        Phase::Pending,
        Phase::Listing,
        Phase::Watching,
        Phase::BackingOff,
        Phase::Throttled,
        Phase::Polling,
        Phase::Stalled,
        Phase::Gone,
        Phase::Rewound,
        Phase::Stopped,
    ] {
        assert!(page.contains(&format!("\n| {phase} | `{phase:?}` |")), "the phase {phase}");
    }
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for message in ["dns error", "invalid peer certificate: Expired"] {
        let advice = advice(&Pod::info(&()), None, message).unwrap();
        assert!(words.contains(&format!("ends in `{advice}`")), "what to do about {message}");
    }
}

/// What kinds of `Trouble` there are, in the words of the code that declares them, and what the page says of each. The type
/// itself can be named by the reflector alone, so its code is read here: the test fails until a new one is on the page.
#[test]
fn the_page_of_errors_has_every_trouble() {
    let known = [
        ("Transport", "connection reset by peer"),
        ("Http", "etcdserver: leader changed"),
        ("CutFrame", "the connection broke in the middle of a document"),
        ("NotJson", "the answer is not JSON: "),
        ("TooBig", "is larger than the limit of "),
        ("NotAList", "the answer is not a usable list: "),
        ("MixedPages", "the pages of the list belong to different versions"),
        ("VeryShort", "the watch ended at once and brought nothing"),
        ("EndedEarly", "the streamed list ended before the mark of its end"),
        ("Silent", "nothing came for "),
        ("NoEnd", "no mark of its end within "),
        ("TooLong", "the list was not at its end after "),
        ("Rewound", "the server has gone back in time, as after the restore of a backup"),
    ];
    let code = include_str!("../../../../../informer-core/src/reflector/recovery.rs");
    let (_, declared) = code.split_once("enum Trouble {\n").expect("it is declared there");
    let (declared, _) = declared.split_once("\n}\n").expect("the declaration ends");
    let variants = declared.lines().map(str::trim).filter(|line| line.starts_with(char::is_uppercase));
    let names = variants.filter_map(|line| line.split(|c: char| !c.is_alphanumeric()).next());
    assert_eq!(names.collect::<Vec<_>>(), known.map(|(name, _)| name));
    let page = page();
    for (name, text) in known {
        let begins = |line: &&str| line.starts_with("cannot list ") || line.starts_with("cannot watch ");
        assert!(
            quoted(&page).into_iter().filter(begins).any(|line| line.contains(text)),
            "the trouble {name}"
        );
    }
}

/// An error of which each variant is on the page.
trait Variants {
    /// The names of all variants.
    const ALL: &'static [&'static str];
    /// The name of this one.
    fn variant(&self) -> &'static str;
}

/// Names the variants of an error. A new variant does not compile until it is named, and the test fails until it is printed.
macro_rules! variants {
    ($error:ident: $($variant:ident),+) => {
        impl super::Variants for $error {
            const ALL: &'static [&'static str] = &[$(stringify!($variant)),+];

            fn variant(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => stringify!($variant),)+
                }
            }
        }
    };
}
use variants;

/// Each variant is among these.
fn assert_complete<E: Variants>(errors: &[E]) {
    let printed: BTreeSet<&str> = errors.iter().map(Variants::variant).collect();
    assert_eq!(printed, E::ALL.iter().copied().collect::<BTreeSet<_>>());
}

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md")).unwrap()
}

/// The lines of all blocks that are marked with no language.
fn quoted(page: &str) -> BTreeSet<&str> {
    let (mut lines, mut within) = (BTreeSet::new(), None);
    for line in page.lines() {
        match (line.strip_prefix("```"), within) {
            (Some(language), None) => within = Some(language.is_empty()),
            (Some(_), Some(_)) => within = None,
            (None, Some(true)) => _ = lines.insert(line.trim()),
            (None, _) => {}
        }
    }
    lines
}

/// A server of one kind, and an informer of its namespace `default` that runs.
struct Case {
    server: ScriptedSource,
    informer: SharedInformer<DynamicObject>,
    failures: mpsc::UnboundedReceiver<String>,
}

impl Case {
    /// One that has not been started.
    fn new(
        resource: &ApiResource,
        server: &ScriptedSource,
        set: impl FnOnce(InformerBuilder<DynamicObject>) -> InformerBuilder<DynamicObject>,
    ) -> Self {
        let builder = SharedInformer::<DynamicObject>::builder_with(server.clone(), resource);
        let (informer, failures) = built(set(builder.namespace("default")));
        Self { server: server.clone(), informer, failures }
    }

    fn start(&self) {
        start(&self.informer);
    }

    /// One of pods that is synced.
    async fn synced() -> Self {
        let case = Self::new(&pods(), &server(&pods()), |builder| builder);
        case.start();
        case.informer.wait_synced(SOON).await.unwrap();
        case
    }

    /// What the error callback hears next.
    async fn failure(&mut self) -> String {
        timeout(SOON, self.failures.recv()).await.expect("a failure is reported").unwrap()
    }
}

/// An informer that is not started, and what its error callback hears.
fn built<K: Kind + DeserializeOwned>(
    builder: InformerBuilder<K>,
) -> (SharedInformer<K>, mpsc::UnboundedReceiver<String>) {
    let (sender, failures) = mpsc::unbounded_channel();
    let builder = builder.on_error(move |failure| drop(sender.send(failure.to_string())));
    (builder.build().unwrap(), failures)
}

fn start<K: Kind>(informer: &SharedInformer<K>) {
    let informer = informer.clone();
    tokio::spawn(async move { drop(informer.run(std::future::pending()).await) });
}

/// What the error callback hears first.
async fn first_failure<K: Kind + DeserializeOwned>(builder: InformerBuilder<K>) -> String {
    let (informer, mut failures) = built(builder);
    start(&informer);
    timeout(SOON, failures.recv()).await.expect("a failure is reported").unwrap()
}

fn pods() -> ApiResource {
    ApiResource::erase::<Pod>(&())
}

/// A server that has the pod `default/web`, or nothing if it has no pods.
fn server(resource: &ApiResource) -> ScriptedSource {
    let server = ScriptedSource::new(DynamicObject::info(resource));
    if resource.plural == "pods" {
        let metadata = serde_json::json!({ "namespace": "default", "name": "web", "uid": "u" });
        server.put_json(serde_json::json!({ "metadata": metadata })).unwrap();
    }
    server
}

fn http(code: u16, message: &str) -> SourceError {
    SourceError::answered(Status { code, message: message.into(), ..Status::default() })
}

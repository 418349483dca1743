//! `docs/errors.md` has the texts that users get to see, word for word, and none that nobody prints.
//!
//! What servers, proxies and connections say is put in here by hand; that they do say it, is shown by `tests/e2e/errors.rs`.

mod clusters;
mod objects;
mod requests;
mod usage;

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_core::{ApiResource, DynamicObject};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::support::SOON;
use crate::kind::Kind;
use crate::report::{Cause, advice};
use crate::shared::{InformerBuilder, SharedInformer};
use crate::source::{HttpFailure, ScriptedSource, SourceError};
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
    for cause in Cause::NAMES {
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
        let (sender, failures) = mpsc::unbounded_channel();
        let builder = SharedInformer::<DynamicObject>::builder_with(server.clone(), resource)
            .namespace("default")
            .on_error(move |failure| drop(sender.send(failure.to_string())));
        Self { server: server.clone(), informer: set(builder).build().unwrap(), failures }
    }

    fn start(&self) {
        let informer = self.informer.clone();
        tokio::spawn(async move { drop(informer.run(std::future::pending()).await) });
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
    SourceError::Http(HttpFailure { code, message: message.into(), ..HttpFailure::default() })
}

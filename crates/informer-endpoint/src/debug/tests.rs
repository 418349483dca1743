use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::SourceError;
use kube_informer::testing::{Fault, ScriptedSource};
use kube_informer::{SharedInformer, handler};
use serde_json::{Value, json};

use super::*;

/// What the page makes itself of what it is told.
const MADE_BY_THE_PAGE: [&str; 5] = ["rate", "runRate", "failureRate", "retryRate", "share"];

fn queue() -> QueueStatus {
    QueueStatus {
        name: "web".into(),
        due: 3,
        later: 2,
        working: 1,
        oldest: Some(("shop/web".into(), Duration::from_millis(1_500))),
        longest_running: Some(Duration::from_millis(20)),
        runs: 40,
        failures: 5,
        retries: 6,
    }
}

#[test]
fn all_documents_of_a_run_are_of_the_same_instance() {
    let instance = |seconds| document(&[], Vec::new(), Duration::from_secs(seconds), false).instance;
    assert_eq!(instance(1), instance(2));
    assert_eq!(instance(1).unwrap().len(), 16);
}

#[test]
fn a_queue_is_told_whole() {
    let told = json!(document(&[], vec![queue(), QueueStatus::default()], Duration::ZERO, false));
    let whole = json!({
        "name": "web", "due": 3, "later": 2, "working": 1, "oldestKey": "shop/web", "oldestSeconds": 1.5,
        "longestRunningSeconds": 0.02, "runs": 40, "failures": 5, "retries": 6,
    });
    let empty = json!({
        "name": "", "due": 0, "later": 0, "working": 0, "oldestKey": null, "oldestSeconds": null,
        "longestRunningSeconds": null, "runs": 0, "failures": 0, "retries": 0,
    });
    assert_eq!(told["queues"], json!([whole, empty]));
}

/// The names of all fields, however deep.
fn fields(json: &Value, found: &mut BTreeSet<String>) {
    match json {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            fields(value, found);
        }),
        Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

/// The fields of what it is told that a script reads: `one.due`, `sum(one.scopes, 'events')`.
fn fields_read(script: &str) -> BTreeSet<String> {
    let of = ["one", "all", "data", "scope", "handler", "queue", "lastError"].map(|name| format!("{name}."));
    let calls = ["sum(", "least("];
    let mut read = BTreeSet::new();
    for line in script.lines() {
        for (place, _) in line.match_indices(|c: char| c.is_alphabetic()) {
            let is_inside = line[..place].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let rest = &line[place..];
            let name = of.iter().find_map(|of| rest.strip_prefix(of.as_str())).unwrap_or_default();
            let quoted = calls.iter().find_map(|call| rest.strip_prefix(call)?.split('\'').nth(1));
            let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
            let names = [&name[..end], quoted.unwrap_or_default()];
            read.extend(names.into_iter().filter(|name| !is_inside && !name.is_empty()).map(str::to_owned));
        }
    }
    read
}

#[tokio::test(start_paused = true)]
async fn the_page_reads_only_what_it_is_told() {
    let server = ScriptedSource::of::<ConfigMap>();
    server.inject(Fault::error(SourceError::transport("refused")).once());
    let informer = SharedInformer::<ConfigMap>::builder(server).build().unwrap();
    informer.add_event_handler(handler().named("audit").on_add(|_| {})).unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(60)).await.unwrap();
    let mut told = BTreeSet::new();
    fields(&json!(document(&[informer.status()], vec![queue()], Duration::ZERO, true)), &mut told);
    told.extend(MADE_BY_THE_PAGE.map(str::to_owned));

    let read = fields_read(include_str!("../page/informers.js"));
    for known in ["oldestKey", "longestRunningSeconds", "failures", "phaseSeconds", "events", "httpStatus"] {
        assert!(read.contains(known), "{known} is not found in {read:?}");
    }
    let unknown: Vec<_> = read.difference(&told).collect();
    assert!(unknown.is_empty(), "the page reads {unknown:?}, which nobody tells");
}

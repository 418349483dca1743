//! The alerts and the dashboard of `docs/monitoring` ask for what programs report: a program with informers, a controller and an
//! election is scraped, and every metric and label of the two files has to be there. promtool tests the alerts.

#![allow(clippy::unwrap_used)]

mod listed;
mod promql;
mod scrape;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use informer_controller::election::TokioClock;
use informer_controller::{Controller, Ctx, Election, Next, ReconcileError};
use informer_endpoint::{Endpoint, install_recorder};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Patch, PatchParams};
use kube_informer::{SharedInformerFactory, handler};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::promql::Query;
use crate::scrape::Scrape;

/// On a paused clock it costs nothing.
const PATIENCE: Duration = Duration::from_secs(3_600);

fn monitoring(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/monitoring").join(file)
}

#[tokio::test(start_paused = true)]
async fn every_metric_and_label_of_alerts_and_dashboard_is_reported() {
    let scrape = Scrape::parse(&metrics_of_a_program().await);
    let mut problems = Vec::new();
    for (place, query) in [alerts(), dashboard()].concat() {
        problems.extend(query.problems(&scrape).into_iter().map(|problem| format!("{place}: {problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Runs a program that does one of everything, and asks its endpoint.
async fn metrics_of_a_program() -> String {
    let recorder = install_recorder().unwrap();
    let server = EmbeddedApiserver::new();
    let factory = SharedInformerFactory::builder(server.client()).build().unwrap();
    let maps = factory.core().v1().config_maps().informer();
    let heard = maps.add_event_handler(handler().named("counts").on_add(|_| {})).unwrap();
    let (greeted, mut seen) = mpsc::unbounded_channel();
    let controller = Controller::new("greeter", maps).reconcile(move |ctx| greet(ctx, greeted.clone()));
    let election =
        Election::new(factory.client().unwrap(), "default", "greeter").clock(TokioClock::default());
    let statuses = factory.clone();
    let endpoint = Endpoint::new(move || statuses.status()).metrics(move || recorder.render());

    let map: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "namespace": "default", "name": "a" } })).unwrap();
    server.create(&map).await.unwrap();
    factory.start();
    tokio::spawn(election.run(std::future::pending::<()>(), |leadership| controller.run_as(leadership)));
    heard.wait_synced(PATIENCE).await.unwrap();
    // The key has run twice, so the first run has ended in every respect.
    timeout(PATIENCE, seen.recv()).await.unwrap().unwrap();
    endpoint.answer(&http::Method::GET, "/metrics").into_body()
}

/// Writes once, so that its key waits for the cache, and tells when it finds what it wrote.
async fn greet(ctx: Ctx<ConfigMap>, greeted: mpsc::UnboundedSender<()>) -> Result<Next, ReconcileError> {
    let Some(map) = ctx.object() else { return Ok(Next::Done) };
    if map.get()?.data.is_some() {
        greeted.send(()).unwrap();
        return Ok(Next::Done);
    }
    let patch = Patch::Merge(json!({ "data": { "greeting": "hello" } }));
    ctx.objects(ctx.informer()).patch(ctx.key(), &PatchParams::default(), &patch).await?;
    // What it has written itself is no reason to run again.
    Ok(Next::After(Duration::from_millis(1)))
}

/// The expressions of the alerts, and which labels their texts name.
fn alerts() -> Vec<(String, Query)> {
    let text = fs::read_to_string(monitoring("alerts.yaml")).unwrap();
    let rules: Value = serde_saphyr::from_str(&text).unwrap();
    let rules =
        rules["groups"].as_array().unwrap().iter().flat_map(|group| group["rules"].as_array().unwrap());
    let found: Vec<_> = rules
        .map(|rule| {
            let name = rule["alert"].as_str().unwrap().to_owned();
            (name, Query::new(rule["expr"].as_str().unwrap()).shows(&rule["annotations"].to_string()))
        })
        .collect();
    assert!(found.len() > 10, "the alerts are found");
    found
}

/// The expressions of the dashboard's panels and variables, and which labels their legends name.
fn dashboard() -> Vec<(String, Query)> {
    let text = fs::read_to_string(monitoring("dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let mut found = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let query = Query::new(target["expr"].as_str().unwrap());
            found.push((panel["title"].to_string(), query.shows(target["legendFormat"].as_str().unwrap())));
        }
    }
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        if let Some(values) = variable["query"].as_str().unwrap().strip_prefix("label_values(") {
            let (series, _label) = values.rsplit_once(',').unwrap();
            found.push((variable["name"].to_string(), Query::new(series)));
        }
    }
    assert!(found.len() > 20, "the panels are found");
    found
}

#[test]
#[ignore = "needs promtool, which is in Go: `cargo xtask e2e` runs it"]
fn promtool_finds_the_alerts_right() {
    let promtool = test_cluster::promtool().unwrap();
    for arguments in [["check", "rules", "alerts.yaml"], ["test", "rules", "alerts-test.yaml"]] {
        let output = Command::new(&promtool).args(arguments).current_dir(monitoring("")).output().unwrap();
        let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said).into_owned());
        assert!(output.status.success(), "{}", said.concat());
    }
}

#[test]
fn every_alert_has_a_test_in_which_it_fires() {
    let tests = fs::read_to_string(monitoring("alerts-test.yaml")).unwrap();
    for (alert, _) in alerts() {
        assert!(tests.contains(&format!("{{alertname=\"{alert}\", ")), "{alert} is not tested");
    }
}

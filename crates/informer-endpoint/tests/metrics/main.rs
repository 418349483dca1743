//! The output of the installed recorder, parsed as strictly as by Prometheus, and its memory while nobody scrapes it.
//!
//! A process has only one recorder, so this is one test.

mod support;

use std::time::Duration;

use informer_endpoint::{Endpoint, install_recorder};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_informer::testing::ScriptedSource;
use kube_informer::{SharedInformer, handler};

/// Without upkeep they would take at least 160 MB.
const SAMPLES: u32 = 10_000_000;

/// How much the memory may vary because of the allocator and the test harness.
const LEVEL_KILOBYTES: usize = 8_192;

/// The bounds of client-go's histogram.
const BOUNDS: [&str; 13] =
    ["0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"];

#[tokio::test(start_paused = true)]
async fn metrics_are_histograms_with_help_and_take_no_memory_while_nobody_asks() {
    let recorder = install_recorder().unwrap();
    let again = install_recorder().unwrap_err();
    assert!(again.is_already_installed() && again.to_string().contains("Endpoint::metrics"), "{again}");
    let endpoint = Endpoint::new(Vec::new).metrics(move || recorder.render());

    let server = ScriptedSource::of::<ConfigMap>();
    let metadata =
        ObjectMeta { name: Some("x".into()), namespace: Some("a".into()), ..ObjectMeta::default() };
    server.create(&ConfigMap { metadata, ..ConfigMap::default() }).unwrap();
    let informer = SharedInformer::<ConfigMap>::builder(server).name("odd \"name\"\\").build().unwrap();
    // The informer is built, and yet it is not too late: there is a recorder, and the informer's metrics go to it.
    let again = install_recorder().unwrap_err();
    assert!(again.is_already_installed() && !again.is_too_late(), "{again}");
    let heard = informer.add_event_handler(handler().named("counted").on_add(|_| {})).unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(5)).await.unwrap();
    heard.wait_synced(Duration::from_secs(5)).await.unwrap();

    let families = support::parse(&text(&endpoint)).unwrap();
    assert_eq!(families.len(), 22, "{:?}", families.keys());
    for (name, family) in &families {
        assert!(name.starts_with("informer_") && family.help.ends_with('.'), "{name}: {family:?}");
        let expected = match name {
            _ if name.ends_with("_total") => "counter",
            _ if name.ends_with("_timestamp_seconds") => "gauge",
            _ if name.ends_with("_seconds") => "histogram",
            _ => "gauge",
        };
        assert_eq!(family.kind, expected, "{name}");
        for (sample, labels, _) in &family.samples {
            assert_eq!(labels["name"], "odd \"name\"\\", "{sample}");
            assert_eq!((&*labels["version"], &*labels["resource"]), ("v1", "configmaps"), "{sample}");
        }
    }
    assert_eq!(families["informer_objects"].samples[0].2, 1.0);
    let latency = &families["informer_processing_latency_seconds"].samples;
    let bounds: Vec<_> = latency.iter().filter_map(|(_, labels, _)| labels.get("le")).collect();
    assert_eq!(bounds, BOUNDS);

    let histogram = metrics::histogram!("informer_handler_duration_seconds", "handler" => "busy");
    let record =
        |samples: u32| (0..samples).for_each(|sample| histogram.record(f64::from(sample % 7) / 100.0));
    record(SAMPLES / 100);
    let before = resident_kilobytes();
    record(SAMPLES - SAMPLES / 100);
    let after = resident_kilobytes();
    println!("{before} KB resident before {SAMPLES} samples that nobody asks for, {after} KB after them");
    assert!(after < before + LEVEL_KILOBYTES, "{before} KB before, {after} KB after");
    let families = support::parse(&text(&endpoint)).unwrap();
    let counts = families["informer_handler_duration_seconds"].samples.iter();
    let busy = |(name, labels, value): &(String, std::collections::BTreeMap<String, String>, f64)| {
        (name.ends_with("_count") && labels["handler"] == "busy").then_some(*value)
    };
    assert_eq!(counts.filter_map(busy).collect::<Vec<_>>(), [f64::from(SAMPLES)], "none is lost");
}

fn text(endpoint: &Endpoint) -> String {
    endpoint.answer(&http::Method::GET, "/metrics").into_body()
}

/// The resident memory of the process; zero if the system does not report it.
fn resident_kilobytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

use std::error::Error as _;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::SharedInformer;
use kube_informer::testing::ScriptedSource;

use super::*;

/// The bounds of the buckets of a histogram.
fn bounds(text: &str, name: &str) -> Vec<f64> {
    let start = format!("{name}_bucket{{");
    let buckets = text.lines().filter(|line| line.starts_with(&start));
    let bound = |line: &str| line.split("le=\"").nth(1)?.split('"').next()?.parse().ok();
    buckets.filter_map(bound).filter(|bound: &f64| bound.is_finite()).collect()
}

/// No test of this process installs one.
#[test]
fn a_recorder_that_comes_after_an_informer_is_refused() {
    let _informer = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap();
    let late = install_recorder().unwrap_err();
    assert!(late.is_too_late() && !late.is_already_installed(), "{late}");
    assert!(late.to_string().contains("whatever recorder there was then, or nowhere"), "{late}");
    assert!(late.to_string().contains("before anything else"), "{late}");
}

#[test]
fn an_error_has_the_text_of_its_cause_once() {
    let cause = PrometheusBuilder::new().set_buckets(&[]).unwrap_err();
    let error = RecorderError::from(Reason::Other(cause));
    let source = error.source().unwrap().to_string();
    assert!(!source.is_empty() && !error.to_string().contains(&source), "{error}: {source}");
}

#[test]
fn b_496_queues_and_controllers_have_the_buckets_of_those_they_are_compared_with() {
    let recorder = Upkept::new().expect("buckets that are in order");
    let all = [
        ("workqueue_queue_duration_seconds", &QUEUE_BUCKETS[..]),
        ("workqueue_work_duration_seconds", &QUEUE_BUCKETS),
        ("controller_runtime_reconcile_time_seconds", &RECONCILE_BUCKETS),
        ("reconcile_parked_seconds", &BUCKETS),
        ("leader_election_write_seconds", &BUCKETS),
    ];
    metrics::with_local_recorder(&recorder, || {
        for (name, _) in all {
            metrics::histogram!(name, "name" => "pods").record(0.3);
        }
    });
    let text = recorder.upkeep.handle.render();
    for (name, expected) in all {
        assert_eq!(bounds(&text, name), expected, "{text}");
    }
}

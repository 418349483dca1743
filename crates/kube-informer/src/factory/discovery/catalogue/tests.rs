use super::*;

fn served(kind: KindInfo, short_names: &[&str]) -> Served {
    let singular = kind.kind().to_lowercase();
    let short_names = short_names.iter().map(|name| (*name).to_owned()).collect();
    Served { kind, singular, short_names, watchable: true }
}

/// Core, then groups; the preferred version of a group first.
fn catalogue() -> Catalogue {
    let kind = KindInfo::new;
    let mut reviews = served(kind("authentication.k8s.io", "v1", "TokenReview", "tokenreviews"), &[]);
    reviews.watchable = false;
    let served = vec![
        served(kind("", "v1", "Pod", "pods"), &["po"]),
        served(kind("", "v1", "Event", "events"), &["ev"]),
        served(kind("", "v1", "Endpoints", "endpoints"), &["ep"]),
        served(kind("apps", "v1", "Deployment", "deployments"), &["deploy"]),
        served(kind("events.k8s.io", "v1", "Event", "events"), &["ev"]),
        served(kind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"), &["hpa"]),
        served(kind("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers"), &["hpa"]),
        served(kind("example.com", "v1", "Po", "pos"), &[]),
        reviews,
    ];
    Catalogue { served, unavailable: vec!["metrics.k8s.io/v1: away".into()] }
}

fn found(name: &str) -> String {
    match catalogue().resolve(ResourceName(name)) {
        Ok(kind) => format!("{} {}", kind.api_version(), kind.plural()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn b_432_any_name_will_do() {
    for name in ["pods", "pod", "Pod", "pods.v1", "pods.v1.", "pod.v1"] {
        assert_eq!(found(name), "v1 pods", "{name}");
    }
    for name in
        ["deployments", "deploy", "Deployment", "deployments.apps", "deploy.apps", "deployments.v1.apps"]
    {
        assert_eq!(found(name), "apps/v1 deployments", "{name}");
    }
}

#[test]
fn b_432_the_core_group_and_the_preferred_version_come_first() {
    assert_eq!(found("events"), "v1 events");
    assert_eq!(found("events.events.k8s.io"), "events.k8s.io/v1 events");
    assert_eq!(found("events.v1.events.k8s.io"), "events.k8s.io/v1 events");
    assert_eq!(found("hpa"), "autoscaling/v2 horizontalpodautoscalers");
    assert_eq!(found("hpa.v1.autoscaling"), "autoscaling/v1 horizontalpodautoscalers");
    assert_eq!(found("horizontalpodautoscalers.v1.autoscaling"), found("hpa.v1.autoscaling"));
}

#[test]
fn b_432_a_whole_name_comes_before_a_short_one() {
    assert_eq!(found("po"), "example.com/v1 pos", "the kind Po, not pods by their short name");
}

#[test]
fn b_432_an_unknown_name_is_an_error_with_near_names() {
    let away = "; could not be asked: metrics.k8s.io/v1: away";
    assert_eq!(found("podz"), format!("the server has no resource \"podz\"; near names: pods{away}"));
    assert_eq!(
        found("deploymnts.app"),
        format!("the server has no resource \"deploymnts.app\"; near names: deployments.apps{away}")
    );
    assert_eq!(found("gadgets"), format!("the server has no resource \"gadgets\"{away}"));
    assert!(
        found("deployments.v9.apps")
            .starts_with("the server has no resource \"deployments.v9.apps\"; near names: deployments.apps")
    );
}

#[test]
fn b_432_what_cannot_be_watched_is_said_to() {
    assert_eq!(
        found("tokenreviews"),
        "tokenreviews.authentication.k8s.io cannot be listed and watched, so there is no informer of it"
    );
}

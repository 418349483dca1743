use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::Object;

use super::*;

fn holds(terms: &str) -> bool {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("x".into());
    map.metadata.labels =
        Some([("app".into(), "web".into()), ("example.com/tier".into(), String::new())].into());
    LabelTerms::parse(terms).unwrap().hold(Object::new(&map).unwrap().labels())
}

#[test]
fn all_terms_have_to_hold() {
    for terms in [
        "",
        " , ",
        "app=web",
        "app == web",
        "app",
        "!canary",
        "app!=db",
        "app=web,example.com/tier=",
        "none!=x",
    ] {
        assert!(holds(terms), "{terms}");
    }
    for terms in ["app=db", "app!=web", "!app", "canary", "app=web,canary", "app=we", "App=web"] {
        assert!(!holds(terms), "{terms}");
    }
}

#[test]
fn what_is_no_term_is_named() {
    for terms in ["app in (web,db)", "=web", "!", "a b", "!=x"] {
        let error = LabelTerms::parse(terms).unwrap_err();
        assert!(error.contains("cannot read") && error.contains("app=web"), "{error}");
    }
}

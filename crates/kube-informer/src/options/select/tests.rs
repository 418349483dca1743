use super::*;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    let labels: std::collections::BTreeMap<_, _> = pairs.iter().copied().collect();
    let json = serde_json::json!({ "metadata": { "name": "x", "labels": labels } }).to_string();
    let kind = crate::kind::KindInfo::new("", "v1", "Pod", "pods");
    crate::Object::<()>::from_json(&kind, json.as_bytes()).unwrap().labels().clone()
}

#[test]
fn labels_are_judged_as_the_server_does() {
    let labels = labels(&[("app", "web"), ("tier", "front"), ("empty", "")]);
    let key = ObjectKey::namespaced("n", "x");
    for (selector, expected) in [
        ("", Some(true)),
        ("app=web", Some(true)),
        ("app == web, tier=front", Some(true)),
        ("app=web,tier!=front", Some(false)),
        ("other!=x", Some(true)),
        ("app in (a, web),tier notin (back,side)", Some(true)),
        ("app in (a,b)", Some(false)),
        ("other notin (a)", Some(true)),
        ("app,!other", Some(true)),
        ("!app", Some(false)),
        ("other", Some(false)),
        ("empty=", Some(true)),
        ("app in web", None),
        ("app within (web)", None),
        ("app in (web", None),
        ("app in web)", None),
    ] {
        let options = Options { labels: Some(selector.to_owned()), ..Options::default() };
        assert_eq!(options.select(&key, &labels), expected, "{selector:?}");
    }
}

#[test]
fn of_fields_only_the_key_is_known() {
    let key = ObjectKey::namespaced("n", "x");
    for (selector, expected) in [
        ("metadata.name=x", Some(true)),
        ("metadata.name==y", Some(false)),
        ("metadata.namespace!=n", Some(false)),
        ("spec.nodeName=a", None),
        ("spec.nodeName=a,metadata.name=y", Some(false)),
        (r"metadata.name=a\,b", Some(false)),
        (r"metadata.name!=a\,b", Some(true)),
        ("metadata.name", None),
    ] {
        let options = Options { fields: Some(selector.to_owned()), ..Options::default() };
        assert_eq!(options.select(&key, &labels(&[])), expected, "{selector:?}");
    }
}

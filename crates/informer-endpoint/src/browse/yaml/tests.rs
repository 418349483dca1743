use kube_informer::kind::KindInfo;
use serde_json::json;

use super::*;

#[test]
fn kind_and_version_are_there_and_long_texts_are_cut() {
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps");
    let json =
        json!({ "metadata": { "name": "x" }, "data": { "short": "<b>&</b>", "long": "y".repeat(1 << 20) } });
    let object = Object::from_json(&kind, json.to_string().as_bytes()).unwrap();
    let shown = yaml(content(&object));
    assert!(shown.contains("kind: ConfigMap") && shown.contains("apiVersion: v1"), "{shown}");
    assert!(shown.contains("<b>&</b>") && shown.contains("(1048576 bytes)"));
    assert!(shown.len() < TEXT + 1_000, "{}", shown.len());
}

#[test]
fn many_texts_are_cut_too() {
    let many: Vec<_> = (0..1_000).map(|_| "z".repeat(1_000)).collect();
    assert!(yaml(json!(many)).len() < WHOLE + 100);
}

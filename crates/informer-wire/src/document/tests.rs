use serde_json::json;

use super::*;

#[test]
fn kind_and_version_are_there_whether_they_were_sent_or_not() {
    let kind = KindInfo::new("apps", "v1", "Deployment", "deployments");
    let expected = json!({ "kind": "Deployment", "apiVersion": "apps/v1", "a": 1 });
    assert_eq!(whole(br#"{"a":1}"#, &kind), expected);
    let sent = br#"{"kind":"Scale","apiVersion":"autoscaling/v1"}"#;
    assert_eq!(whole(sent, &kind), json!({ "kind": "Scale", "apiVersion": "autoscaling/v1" }));
    assert_eq!(whole(b"{", &kind), Value::Null);
}

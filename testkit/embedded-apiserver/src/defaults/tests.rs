use serde_json::{Value, json};

use super::{set, table};
use crate::kinds::Registry;
use crate::schema::{self, Flavour};

/// An object of a kind as it is stored.
fn defaulted(group: &str, version: &str, plural: &str, object: &Value) -> Value {
    let resource = Registry::new().find(group, version, plural).unwrap();
    let of = schema::of(&resource).unwrap();
    let mut object = schema::decode(of, Flavour::Tree, object).unwrap().object;
    set(&resource, &mut object);
    object.into()
}

#[test]
fn every_line_of_the_table_can_be_read() {
    let kinds = table::kinds();
    assert!(kinds.len() > 40, "{}", kinds.len());
    for (kind, lines) in kinds {
        let (api_version, kind) = kind.split_once(' ').unwrap();
        let tree = format!("{:?}", table::of(api_version, kind).unwrap());
        assert!(!tree.contains('~'), "{tree}");
        for line in lines {
            let columns: Vec<&str> = line.split('\t').collect();
            let [path, _, value] = columns[..] else { panic!("{kind}: {line}") };
            assert!(
                !path.is_empty() && (value.is_empty() || serde_json::from_str::<Value>(value).is_ok()),
                "{kind}: {line}"
            );
        }
    }
}

#[test]
fn the_policy_for_images_depends_on_the_tag() {
    for (image, policy) in [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("registry.example.com:5000/team/app", "Always"),
        ("registry.example.com:5000/team/app:2", "IfNotPresent"),
        ("app@sha256:00", "IfNotPresent"),
        ("app:latest@sha256:00", "IfNotPresent"),
        ("Registry.example.com/app", "Always"),
        ("a//b", "IfNotPresent"),
        ("No Image", "IfNotPresent"),
        ("", "IfNotPresent"),
    ] {
        let pod = json!({ "spec": { "containers": [{ "name": "c", "image": image }] } });
        let pod = defaulted("", "v1", "pods", &pod);
        assert_eq!(pod["spec"]["containers"][0]["imagePullPolicy"], policy, "{image}");
    }
}

#[test]
fn how_a_deployment_is_rolled_out_depends_on_its_strategy() {
    let strategy = |strategy: Value| {
        let deployment = json!({ "spec": { "strategy": strategy } });
        defaulted("apps", "v1", "deployments", &deployment)["spec"]["strategy"].take()
    };
    let quarter = json!({ "maxSurge": "25%", "maxUnavailable": "25%" });
    assert_eq!(strategy(Value::Null), json!({ "type": "RollingUpdate", "rollingUpdate": quarter }));
    assert_eq!(strategy(json!({ "type": "Recreate" })), json!({ "type": "Recreate" }));
    let given = json!({ "rollingUpdate": { "maxSurge": 0 } });
    let expected =
        json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 0, "maxUnavailable": "25%" } });
    assert_eq!(strategy(given), expected);
}

#[test]
fn pods_request_their_limits_and_templates_do_not() {
    let container = json!({
        "name": "c", "ports": [{ "containerPort": 80 }],
        "resources": { "limits": { "cpu": "2", "memory": "1Gi" }, "requests": { "cpu": "1" } },
    });
    let spec = json!({ "hostNetwork": true, "containers": [container] });
    let pod = defaulted("", "v1", "pods", &json!({ "spec": spec }));
    let made = &pod["spec"]["containers"][0];
    assert_eq!(made["resources"]["requests"], json!({ "cpu": "1", "memory": "1Gi" }));
    assert_eq!(made["ports"], json!([{ "containerPort": 80, "hostPort": 80, "protocol": "TCP" }]));
    let template = defaulted("", "v1", "podtemplates", &json!({ "template": { "spec": spec } }));
    let made = &template["template"]["spec"]["containers"][0];
    assert_eq!(made["resources"]["requests"], json!({ "cpu": "1" }));
    assert_eq!(made["ports"], json!([{ "containerPort": 80, "protocol": "TCP" }]));
}

#[test]
fn zero_is_not_always_something() {
    let container =
        json!({ "name": "c", "image": "", "tty": false, "livenessProbe": { "timeoutSeconds": 0 } });
    let spec = json!({ "terminationGracePeriodSeconds": 0, "hostNetwork": false, "containers": [container] });
    let pod = defaulted("", "v1", "pods", &json!({ "spec": spec }));
    assert_eq!(pod["spec"]["terminationGracePeriodSeconds"], 0);
    assert_eq!(pod["spec"].get("hostNetwork"), None);
    let made = &pod["spec"]["containers"][0];
    assert_eq!((made.get("tty"), made.get("image"), &made["resources"]), (None, None, &json!({})));
    assert_eq!(made["livenessProbe"]["timeoutSeconds"], 1);
}

use http_body_util::BodyExt as _;
use serde_json::Value;

use super::*;
use crate::kinds::crd;

/// What kube-apiserver 1.36 with all APIs on answers: `/apis`, `/api/v1` and each `/apis/G/V`, one to a line.
const REAL: &str = include_str!("../../testdata/discovery-1.36.jsonl");

/// Resources that this server has and 1.36 does not, in group versions that both have. They are in k8s-openapi for other
/// releases.
const OF_OTHER_RELEASES: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io/v1beta1", "validatingadmissionpolicies"),
    ("admissionregistration.k8s.io/v1beta1", "validatingadmissionpolicybindings"),
    ("certificates.k8s.io/v1", "clustertrustbundles"),
    ("certificates.k8s.io/v1", "podcertificaterequests"),
    ("certificates.k8s.io/v1alpha1", "podcertificaterequests"),
    ("resource.k8s.io/v1", "devicetaintrules"),
    ("resource.k8s.io/v1alpha3", "deviceclasses"),
    ("resource.k8s.io/v1alpha3", "resourceclaims"),
    ("resource.k8s.io/v1alpha3", "resourceclaimtemplates"),
    ("resource.k8s.io/v1alpha3", "resourceslices"),
];

async fn body(response: Response<Body>) -> String {
    assert_eq!(response.status(), 200);
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn asked(registry: &Registry, path: &DiscoveryPath) -> String {
    body(answer(registry, path, "127.0.0.1:6443")).await
}

fn resources_of(group_version: &str) -> DiscoveryPath {
    let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
    DiscoveryPath::Resources { group: group.to_owned(), version: version.to_owned() }
}

#[tokio::test]
async fn resources_are_told_as_the_real_server_tells_them() {
    let registry = Registry::new();
    let mut exact = 0;
    for line in REAL.lines().skip(1) {
        let mut real: Value = serde_json::from_str(line).unwrap();
        let group_version = real["groupVersion"].as_str().unwrap().to_owned();
        let text = asked(&registry, &resources_of(&group_version)).await;
        let more: Vec<&str> = OF_OTHER_RELEASES
            .iter()
            .filter(|(place, _)| *place == group_version)
            .map(|(_, plural)| *plural)
            .collect();
        if more.is_empty() {
            assert_eq!(text.trim_end(), line, "{group_version}");
            exact += 1;
            continue;
        }
        let mut ours: Value = serde_json::from_str(&text).unwrap();
        let plural = |entry: &Value| entry["name"].as_str().unwrap().split('/').next().unwrap().to_owned();
        let has = |list: &Value, name: &str| {
            list["resources"].as_array().unwrap().iter().any(|entry| plural(entry) == name)
        };
        assert!(more.iter().all(|name| has(&ours, name) && !has(&real, name)), "{group_version}");
        ours["resources"].as_array_mut().unwrap().retain(|entry| !more.contains(&plural(entry).as_str()));
        // Only the order of subresources may differ.
        for list in [&mut ours, &mut real] {
            list["resources"].as_array_mut().unwrap().sort_by_key(|entry| entry["name"].to_string());
        }
        assert_eq!(ours, real, "{group_version}");
    }
    assert!(exact > 25, "{exact} group versions are the same to the letter");
}

#[tokio::test]
async fn groups_are_told_as_the_real_server_tells_them() {
    let text = asked(&Registry::new(), &DiscoveryPath::Groups).await;
    let (ours, real): (Value, Value) =
        (serde_json::from_str(&text).unwrap(), serde_json::from_str(REAL.lines().next().unwrap()).unwrap());
    let names = |list: &Value| -> Vec<String> {
        list["groups"].as_array().unwrap().iter().map(|group| group["name"].to_string()).collect()
    };
    let mut expected = names(&real);
    expected.push("\"lifecycle.k8s.io\"".to_owned());
    assert_eq!(names(&ours), expected, "in this order");
    for group in real["groups"].as_array().unwrap() {
        let same =
            ours["groups"].as_array().unwrap().iter().find(|ours| ours["name"] == group["name"]).unwrap();
        let versions = same["versions"].as_array().unwrap();
        let missing: Vec<&Value> = group["versions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|version| !versions.contains(version))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert_eq!(same["preferredVersion"], versions[0]);
    }
    assert!(text.starts_with(
        r#"{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apiregistration.k8s.io","versions":[{"groupVersion":"apiregistration.k8s.io/v1","version":"v1"}],"preferredVersion":{"#
    ));
}

#[tokio::test]
async fn one_group_and_the_core_group() {
    let registry = Registry::new();
    assert_eq!(
        asked(&registry, &DiscoveryPath::Group("apps".to_owned())).await,
        "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"apps\",\"versions\":[{\"groupVersion\":\"apps/v1\",\
         \"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}}\n"
    );
    assert_eq!(
        asked(&registry, &DiscoveryPath::CoreVersions).await,
        "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\",\
         \"serverAddress\":\"127.0.0.1:6443\"}]}\n"
    );
    let paths: Value = serde_json::from_str(&asked(&registry, &DiscoveryPath::Paths).await).unwrap();
    for path in ["/api/v1", "/apis/apps", "/apis/apps/v1", "/version", "/healthz"] {
        assert!(paths["paths"].as_array().unwrap().contains(&path.into()), "{path}");
    }
}

#[tokio::test]
async fn custom_resources_are_told_in_their_own_order() {
    let registry = Registry::new();
    let mut definition = serde_json::json!({
        "metadata": { "name": "widgets.ex.com" },
        "spec": {
            "group": "ex.com", "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget", "shortNames": ["wi", "wd"], "categories": ["all", "ex"] },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } },
                "subresources": { "status": {}, "scale": {
                    "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" } } }],
        },
    });
    crd::accept(&registry, &mut definition, "2026-01-01T00:00:00Z").unwrap();
    registry.install_crd(&definition).unwrap();
    assert_eq!(
        asked(&registry, &resources_of("ex.com/v1")).await.trim_end(),
        r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"ex.com/v1","resources":[{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["wi","wd"],"categories":["all","ex"]},{"name":"widgets/status","singularName":"","namespaced":true,"kind":"Widget","verbs":["get","patch","update"]},{"name":"widgets/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}]}"#
    );
    let groups: Value = serde_json::from_str(&asked(&registry, &DiscoveryPath::Groups).await).unwrap();
    assert_eq!(groups["groups"].as_array().unwrap().last().unwrap()["name"], "ex.com");
}

#[tokio::test]
async fn version_and_health() {
    let told: Value = serde_json::from_str(&body(version()).await).unwrap();
    assert_eq!((&told["major"], &told["minor"]), (&"1".into(), &"36".into()));
    assert!(told["gitVersion"].as_str().unwrap().starts_with("v1.36."));
    let response = health("readyz", &Query::parse(""));
    assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8");
    assert_eq!(body(response).await, "ok");
    assert_eq!(body(health("livez", &Query::parse("verbose"))).await, "[+]ping ok\nlivez check passed\n");
}

use serde_json::json;

use super::*;

const NOW: &str = "2026-01-01T00:00:00Z";

fn definition(plural: &str, group: &str, kind: &str) -> Value {
    json!({
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group, "scope": "Namespaced", "names": { "plural": plural, "kind": kind },
            "versions": [
                { "name": "v1beta1", "served": true, "storage": false, "schema": { "openAPIV3Schema": { "type": "object" } } },
                { "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } } },
                { "name": "v0", "served": false, "storage": false, "schema": { "openAPIV3Schema": { "type": "object" } } },
            ],
        },
    })
}

fn install(registry: &Registry, mut definition: Value) -> Value {
    crd::accept(registry, &mut definition, NOW).unwrap();
    registry.install_crd(&definition).unwrap();
    definition
}

/// Objects that were written under the old schemas need not be read by the new ones then.
#[test]
fn schemas_that_do_not_change_are_kept() {
    let registry = Registry::new();
    let schemas = || registry.find("example.com", "v1", "widgets").unwrap().schemas.clone().unwrap();
    let mut widgets = definition("widgets", "example.com", "Widget");
    install(&registry, widgets.clone());
    let before = schemas();
    widgets["metadata"]["labels"] = json!({ "a": "b" });
    install(&registry, widgets.clone());
    assert!(Arc::ptr_eq(&before, &schemas()));
    widgets["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["description"] = "changed".into();
    install(&registry, widgets);
    assert!(!Arc::ptr_eq(&before, &schemas()));
}

#[test]
fn custom_resources_come_and_go_with_their_definition() {
    let registry = Registry::new();
    let is_served = |version: &str| registry.find("example.com", version, "widgets").is_some();
    assert!(!registry.has_group("example.com") && !is_served("v1"));
    install(&registry, definition("widgets", "example.com", "Widget"));
    assert!(is_served("v1") && is_served("v1beta1"));
    assert!(!is_served("v0"), "a version that is not served");
    assert!(registry.has_group("example.com") && registry.has_group_version("example.com", "v1"));
    assert!(!registry.is_builtin("example.com") && registry.is_builtin("apps"));
    let widget = registry.find("example.com", "v1", "widgets").unwrap();
    assert!(widget.custom && !widget.unconditional_update && widget.namespaced);

    let mut changed = definition("widgets", "example.com", "Widget");
    changed["spec"]["versions"][0]["served"] = json!(false);
    install(&registry, changed);
    assert!(is_served("v1") && !is_served("v1beta1"), "replaced, not added to");

    registry.remove_crd("widgets.example.com");
    assert!(!registry.has_group("example.com") && !is_served("v1"));

    install(&registry, definition("widgets", "example.com", "Widget"));
    registry.remove_all_crds();
    assert!(!registry.has_group("example.com") && registry.has_group("apps"));
}

#[test]
fn two_servers_do_not_share_custom_resources() {
    let one = Registry::new();
    let other = Registry::new();
    install(&one, definition("widgets", "example.com", "Widget"));
    assert!(one.has_group("example.com") && !other.has_group("example.com"));
}

#[test]
fn the_preferred_version_of_a_group_comes_first_and_groups_by_name_after_the_built_in_ones() {
    let registry = Registry::new();
    install(&registry, definition("widgets", "b.example.com", "Widget"));
    install(&registry, definition("parts", "b.example.com", "Part"));
    install(&registry, definition("widgets", "a.example.com", "Widget"));
    let all = registry.all();
    let custom: Vec<String> = all
        .iter()
        .filter(|resource| resource.custom)
        .map(|resource| format!("{} {}", resource.api_version(), resource.plural))
        .collect();
    assert_eq!(
        custom,
        [
            "a.example.com/v1 widgets",
            "a.example.com/v1beta1 widgets",
            "b.example.com/v1 parts",
            "b.example.com/v1 widgets",
            "b.example.com/v1beta1 parts",
            "b.example.com/v1beta1 widgets",
        ]
    );
    assert!(all.iter().position(|resource| resource.custom).unwrap() > 100);
}

#[test]
fn a_definition_cannot_take_the_place_of_a_built_in_kind() {
    let registry = Registry::new();
    let mut deployments = definition("deployments", "apps", "Deployment");
    deployments["spec"]["group"] = json!("apps.example.com");
    deployments["metadata"]["name"] = json!("deployments.apps.example.com");
    crd::accept(&registry, &mut deployments, NOW).unwrap();
    deployments["spec"]["group"] = json!("apps");
    registry.install_crd(&deployments).unwrap();
    assert!(!registry.find("apps", "v1", "deployments").unwrap().custom);
}

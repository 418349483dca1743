use super::*;

const NOW: &str = "2026-01-01T00:00:00Z";

fn definition() -> Value {
    let spec = json!({ "type": "object", "properties": { "color": { "type": "string" } } });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget", "shortNames": ["wi"], "categories": ["all"] },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
                "subresources": { "status": {}, "scale": {
                    "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas" } },
                "selectableFields": [{ "jsonPath": ".spec.color" }],
            }],
        },
    })
}

fn refused(change: impl FnOnce(&mut Value)) -> ApiError {
    let mut definition = definition();
    change(&mut definition);
    let error = accept(&Registry::new(), &mut definition, NOW).unwrap_err();
    assert_eq!((error.code, error.reason), (422, "Invalid"));
    error
}

#[test]
fn an_accepted_definition_is_filled_in() {
    let mut accepted = definition();
    accept(&Registry::new(), &mut accepted, NOW).unwrap();
    assert_eq!(accepted["spec"]["names"]["singular"], "widget");
    assert_eq!(accepted["spec"]["names"]["listKind"], "WidgetList");
    assert_eq!(accepted["spec"]["conversion"], json!({ "strategy": "None" }));
    assert_eq!(
        accepted["status"],
        json!({
            "conditions": [
                { "type": "NamesAccepted", "status": "True", "lastTransitionTime": NOW, "reason": "NoConflicts",
                  "message": "no conflicts found" },
                { "type": "Established", "status": "True", "lastTransitionTime": NOW,
                  "reason": "InitialNamesAccepted", "message": "the initial names have been accepted" },
            ],
            "acceptedNames": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList",
                "shortNames": ["wi"], "categories": ["all"] },
            "storedVersions": ["v1"],
        })
    );
    let mut again = accepted.clone();
    accept(&Registry::new(), &mut again, "2027-01-01T00:00:00Z").unwrap();
    assert_eq!(again, accepted, "nothing changes by itself, not even the times");
}

#[test]
fn a_version_that_objects_were_stored_in_is_remembered() {
    let mut definition = definition();
    accept(&Registry::new(), &mut definition, NOW).unwrap();
    definition["spec"]["versions"][0]["storage"] = json!(false);
    let mut next = definition["spec"]["versions"][0].clone();
    next["name"] = json!("v2");
    next["storage"] = json!(true);
    definition["spec"]["versions"].as_array_mut().unwrap().push(next);
    accept(&Registry::new(), &mut definition, NOW).unwrap();
    assert_eq!(definition["status"]["storedVersions"], json!(["v1", "v2"]));
}

#[test]
fn names_that_another_definition_has_are_not_given_away() {
    let registry = Registry::new();
    let mut first = definition();
    accept(&registry, &mut first, NOW).unwrap();
    registry.install_crd(&first).unwrap();

    let mut second = definition();
    second["metadata"]["name"] = json!("gadgets.example.com");
    second["spec"]["names"]["plural"] = json!("gadgets");
    let asked = second.clone();
    accept(&registry, &mut second, NOW).unwrap();
    let condition = |name: &str| {
        let conditions = second["status"]["conditions"].as_array().unwrap();
        let found = conditions.iter().find(|condition| condition["type"] == name).unwrap();
        (text(&found["status"]), text(&found["reason"]), text(&found["message"]))
    };
    assert_eq!(condition("NamesAccepted"), ("False", "ListKindConflict", "\"WidgetList\" is already in use"));
    assert_eq!(condition("Established"), ("False", "NotAccepted", "not all names are accepted"));
    assert_eq!(
        second["status"]["acceptedNames"],
        json!({ "plural": "gadgets", "kind": "", "categories": ["all"] }),
        "those that are free"
    );
    registry.install_crd(&second).unwrap();
    assert!(registry.find("example.com", "v1", "gadgets").is_none(), "not served");

    let mut elsewhere = asked.clone();
    elsewhere["metadata"]["name"] = json!("gadgets.example.org");
    elsewhere["spec"]["group"] = json!("example.org");
    accept(&registry, &mut elsewhere, NOW).unwrap();
    assert!(is_established(&elsewhere), "another group, other names");

    registry.remove_crd("widgets.example.com");
    accept(&registry, &mut second, NOW).unwrap();
    assert!(is_established(&second), "the names are free again");
    assert_eq!(second["status"]["acceptedNames"]["shortNames"], json!(["wi"]));
}

#[test]
fn short_names_alone_can_be_in_the_way() {
    let registry = Registry::new();
    let mut first = definition();
    accept(&registry, &mut first, NOW).unwrap();
    registry.install_crd(&first).unwrap();
    let mut second = definition();
    second["metadata"]["name"] = json!("gadgets.example.com");
    second["spec"]["names"] =
        json!({ "plural": "gadgets", "kind": "Gadget", "shortNames": ["wi", "widget"] });
    accept(&registry, &mut second, NOW).unwrap();
    assert_eq!(second["status"]["conditions"][0]["reason"], "ShortNamesConflict");
    assert_eq!(
        second["status"]["conditions"][0]["message"],
        "[\"wi\" is already in use, \"widget\" is already in use]"
    );
}

#[test]
fn a_definition_becomes_a_resource() {
    let mut definition = definition();
    let schemas = Arc::new(Schemas::read(&definition));
    assert!(resources(&definition, &schemas).is_empty(), "before it is accepted");
    accept(&Registry::new(), &mut definition, NOW).unwrap();
    let [widgets] = resources(&definition, &schemas).try_into().unwrap();
    assert_eq!((&*widgets.api_version(), &*widgets.kind), ("example.com/v1", "Widget"));
    assert_eq!(&*widgets.list_kind, "WidgetList");
    assert_eq!((&*widgets.short_names, &*widgets.categories), (&["wi".into()][..], &["all".into()][..]));
    assert_eq!(widgets.subresource("status").unwrap().kind, widgets.kind);
    let scale = widgets.subresource("scale").unwrap();
    assert_eq!(scale.group_version, Some(("autoscaling".into(), "v1".into())));
    assert_eq!(&*scale.scale.as_ref().unwrap().spec_replicas, ".spec.replicas");
    assert_eq!(*widgets.field("spec.color").unwrap().paths, ["spec.color".into()]);
    assert_eq!(widgets.field("spec.size").unwrap_err().message, "field label not supported: spec.size");
}

#[test]
fn what_makes_no_sense_is_refused_word_for_word() {
    assert_eq!(
        refused(|definition| definition["spec"]["group"] = json!("example.org")).message,
        "CustomResourceDefinition.apiextensions.k8s.io \"widgets.example.com\" is invalid: metadata.name: Invalid value: \
         \"widgets.example.com\": must be spec.names.plural+\".\"+spec.group"
    );
    assert_eq!(
        refused(|definition| definition["spec"]["scope"] = json!("Foo")).message,
        "CustomResourceDefinition.apiextensions.k8s.io \"widgets.example.com\" is invalid: spec.scope: Unsupported \
         value: \"Foo\": supported values: \"Cluster\", \"Namespaced\""
    );
    let no_schema = refused(|definition| definition["spec"]["versions"][0]["schema"] = Value::Null);
    assert!(
        no_schema.message.contains("spec.versions[0].schema.openAPIV3Schema: Required value"),
        "{}",
        no_schema.message
    );
    let no_storage = refused(|definition| definition["spec"]["versions"][0]["storage"] = json!(false));
    assert!(
        no_storage.message.ends_with("must have exactly one version marked as storage version"),
        "{}",
        no_storage.message
    );
    let no_paths = refused(|definition| {
        definition["spec"]["versions"][0]["subresources"]["scale"] = json!({});
    });
    assert_eq!(no_paths.details.unwrap().causes.len(), 2);
    let upper_case = refused(|definition| {
        definition["spec"]["names"]["plural"] = json!("Widgets");
        definition["metadata"]["name"] = json!("Widgets.example.com");
    });
    assert!(upper_case.message.contains("a DNS-1035 label must consist of"), "{}", upper_case.message);
    refused(|definition| definition["spec"] = json!({}));
    refused(|definition| *definition = json!({ "metadata": { "name": "a" }, "spec": [] }));
    let protected = refused(|definition| {
        definition["spec"]["group"] = json!("widgets.k8s.io");
        definition["metadata"]["name"] = json!("widgets.widgets.k8s.io");
    });
    assert!(protected.message.contains("api-approved.kubernetes.io"), "{}", protected.message);
}

#[test]
fn stable_versions_come_before_others_and_high_ones_before_low_ones() {
    let mut versions =
        ["foo1", "v10beta3", "v1", "v12alpha1", "v3beta1", "v11alpha2", "v10", "foo10", "v11beta2", "v2"];
    versions.sort_by(|one, other| by_preference(one, other));
    assert_eq!(
        versions,
        ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"]
    );
}

/// Without the feature `cel` rules are refused rather than ignored.
#[cfg(not(feature = "cel"))]
#[test]
fn rules_that_nobody_evaluates_are_refused() {
    let mut definition = definition();
    let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema["properties"]["spec"]["x-kubernetes-validations"] = json!([{ "rule": "self.color != ''" }]);
    let error = accept(&Registry::new(), &mut definition, NOW).unwrap_err();
    assert_eq!(error.code, 501);
    assert!(error.message.contains("self.color != ''") && error.message.contains("cel"), "{}", error.message);
}

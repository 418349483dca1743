//! Valid and invalid CustomResourceDefinitions on both servers.

use anyhow::{Context, Result};
use kube_client::Client;
use serde_json::{Value, json};

use crate::support::{Answer, DEFINITIONS, Servers, ask, ask_with, eventually};

fn definition(plural: &str, kind: &str) -> Value {
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": { "type": "object" } },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": plural, "kind": kind },
            "versions": [version],
        },
    })
}

fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut definition = definition("widgets", "Widget");
    change(&mut definition);
    definition
}

/// Invalid definitions, each with one mistake.
fn wrong() -> Vec<Value> {
    let version = |name: &str, storage: bool| json!({ "name": name, "served": true, "storage": storage, "schema": { "openAPIV3Schema": { "type": "object" } } });
    vec![
        changed(|definition| definition["spec"]["group"] = json!("example.org")),
        changed(|definition| definition["metadata"]["name"] = json!("widget.example.com")),
        changed(|definition| definition["spec"]["scope"] = json!("Foo")),
        changed(|definition| definition["spec"]["scope"] = Value::Null),
        changed(|definition| definition["spec"]["versions"][0]["schema"] = Value::Null),
        changed(|definition| definition["spec"]["versions"][0]["subresources"] = json!({ "scale": {} })),
        changed(|definition| definition["spec"]["names"]["shortNames"] = json!(["Wi"])),
        changed(|definition| definition["spec"]["names"]["kind"] = json!("Wid get")),
        changed(|definition| {
            definition["spec"]["group"] = json!("example");
            definition["metadata"]["name"] = json!("widgets.example");
        }),
        changed(|definition| {
            definition["spec"]["group"] = json!("example.k8s.io");
            definition["metadata"]["name"] = json!("widgets.example.k8s.io");
        }),
        changed(|definition| {
            definition["spec"]["versions"] = json!([version("v1", true), version("v2", true)]);
        }),
        changed(|definition| {
            definition["spec"]["versions"] = json!([version("v1", true), version("v1", false)]);
        }),
    ]
}

/// The parts of an error that are the same on both servers. In messages about versions the embedded server shows only their
/// names, and it has no errors about the status that follow from an invalid spec.
fn refusal(answer: &Answer) -> Value {
    let causes = answer.body["details"]["causes"].as_array().cloned().unwrap_or_default();
    let short: Vec<Value> = causes
        .iter()
        .filter(|cause| cause["field"] != "status.storedVersions")
        .map(|cause| {
            let message = cause["message"].as_str().unwrap_or_default();
            let is_versions = cause["field"] == "spec.versions";
            let message = if is_versions { message.rsplit(": ").next().unwrap_or_default() } else { message };
            json!([cause["reason"], cause["field"], message])
        })
        .collect();
    json!([answer.status, answer.body["reason"], answer.body["details"]["kind"], short])
}

/// Waits until a definition has its conditions, and returns its status without timestamps.
async fn settled(client: &Client, name: &str, names_accepted: &str) -> Result<Value> {
    let is =
        |condition: &Value, name: &str| condition["type"] == name && condition["status"] == names_accepted;
    let request = format!("GET {DEFINITIONS}/{name}");
    let answer = until(client, &request, |answer| {
        let conditions = answer.body["status"]["conditions"].as_array();
        let has = |name: &str| conditions.is_some_and(|all| all.iter().any(|condition| is(condition, name)));
        has("NamesAccepted") && has("Established")
    });
    Ok(lasting(&answer.await?)[1]["status"].take())
}

#[tokio::test]
async fn definitions_are_refused_and_accepted_as_by_the_real_server() -> Result<()> {
    let test = "definitions_are_refused_and_accepted_as_by_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let post = format!("POST {DEFINITIONS}");
    for definition in wrong() {
        let real = ask_with(&servers.real, &post, &definition).await?;
        let embedded = ask_with(&servers.embedded, &post, &definition).await?;
        assert_eq!(real.status, 422, "{definition}: {real:?}");
        assert_eq!(refusal(&embedded), refusal(&real), "{definition}");
    }
    let mut first = definition("widgets", "Widget");
    first["spec"]["names"]["shortNames"] = json!(["wi", "wd"]);
    first["spec"]["names"]["categories"] = json!(["all"]);
    let mut same_kind = definition("gadgets", "Widget");
    same_kind["spec"]["names"]["shortNames"] = json!(["ga", "wi"]);
    let mut same_short_name = definition("parts", "Part");
    same_short_name["spec"]["names"]["shortNames"] = json!(["pa", "wd", "wi"]);
    for (definition, accepted) in [(first, "True"), (same_kind, "False"), (same_short_name, "False")] {
        let name = definition["metadata"]["name"].as_str().unwrap();
        let mut statuses = Vec::new();
        for client in [&servers.real, &servers.embedded] {
            let made = ask_with(client, &post, &definition).await?;
            assert_eq!(made.status, 201, "{made:?}");
            statuses.push(settled(client, name, accepted).await?);
        }
        assert_eq!(statuses[1], statuses[0], "{name}");
    }
    for path in ["/apis/example.com/v1/gadgets", "/apis/example.com/v1/parts"] {
        for client in [&servers.real, &servers.embedded] {
            assert_eq!(ask(client, &format!("GET {path}")).await?.status, 404, "{path}");
        }
    }
    // Names that become free go to the definitions that asked for them.
    let mut statuses = Vec::new();
    for client in [&servers.real, &servers.embedded] {
        for name in ["parts.example.com", "widgets.example.com"] {
            ask(client, &format!("DELETE {DEFINITIONS}/{name}")).await?;
        }
        statuses.push(settled(client, "gadgets.example.com", "True").await?);
    }
    assert_eq!(statuses[1], statuses[0]);
    assert_eq!(ask(&servers.embedded, "GET /apis/example.com/v1/gadgets").await?.status, 200);
    servers.stop().await
}

/// Asks until the answer is as it should be.
async fn until(client: &Client, request: &str, is: impl Fn(&Answer) -> bool) -> Result<Answer> {
    let mut answer = ask(client, request).await?;
    let asked = eventually(async || {
        answer = ask(client, request).await?;
        Ok(is(&answer))
    });
    asked.await.with_context(|| request.to_owned())?;
    Ok(answer)
}

/// A part of a definition or a Status, without what differs from server to server.
fn lasting(answer: &Answer) -> Value {
    let mut body = answer.body.clone();
    for condition in
        body.pointer_mut("/status/conditions").and_then(Value::as_array_mut).into_iter().flatten()
    {
        condition["lastTransitionTime"] = Value::Null;
    }
    if let Some(metadata) = body["metadata"].as_object_mut() {
        metadata.remove("managedFields");
        for name in ["uid", "creationTimestamp", "deletionTimestamp"] {
            metadata.entry(name).and_modify(|value| *value = json!("SET"));
        }
    }
    json!([answer.status, body])
}

/// Deletes a definition that has an object with a finalizer and one without; the answers, step by step.
async fn deletion(client: &Client) -> Result<Vec<Value>> {
    const OBJECTS: &str = "/apis/example.com/v1/namespaces/default/tools";
    let (post, name) = (format!("POST {OBJECTS}"), format!("{DEFINITIONS}/tools.example.com"));
    let object = |name: &str, finalizers: &[&str]| {
        let metadata = json!({ "name": name, "finalizers": finalizers });
        json!({ "apiVersion": "example.com/v1", "kind": "Tool", "metadata": metadata })
    };
    let definition = definition("tools", "Tool");
    let made = ask_with(client, &format!("POST {DEFINITIONS}"), &definition).await?;
    assert_eq!(made.status, 201, "{made:?}");
    until(client, &format!("GET {OBJECTS}"), |answer| answer.status == 200).await?;
    ask_with(client, &post, &object("held", &["example.com/a"])).await?;
    ask_with(client, &post, &object("free", &[])).await?;
    let mut course = vec![lasting(&ask(client, &format!("DELETE {name}")).await?)];
    let list = format!("GET {OBJECTS}");
    let marked = until(client, &list, |answer| {
        let items = answer.body["items"].as_array().cloned().unwrap_or_default();
        items.len() == 1 && items[0]["metadata"]["deletionTimestamp"].is_string()
    });
    course.push(marked.await?.body["items"][0]["metadata"]["name"].take());
    course.push(lasting(&ask(client, &format!("GET {name}")).await?));
    course.push(lasting(&ask_with(client, &post, &object("late", &[])).await?));
    course.push(lasting(&ask_with(client, &format!("POST {DEFINITIONS}"), &definition).await?));
    let mut held = ask(client, &format!("GET {OBJECTS}/held")).await?;
    held.body["metadata"]["resourceVersion"] = held.version.clone().into();
    held.body["metadata"]["finalizers"] = json!([]);
    course.push(json!(ask_with(client, &format!("PUT {OBJECTS}/held"), &held.body).await?.status));
    course.push(lasting(&until(client, &format!("GET {name}"), |answer| answer.status == 404).await?));
    course.push(json!(until(client, &list, |answer| answer.status == 404).await?.status));
    Ok(course)
}

#[tokio::test]
async fn a_deleted_definition_waits_for_the_finalizers_of_its_objects() -> Result<()> {
    let test = "a_deleted_definition_waits_for_the_finalizers_of_its_objects";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let (real, embedded) = (deletion(&servers.real).await?, deletion(&servers.embedded).await?);
    assert_eq!(embedded, real);
    servers.stop().await
}

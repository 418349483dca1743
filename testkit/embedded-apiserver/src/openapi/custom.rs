//! Documents of the groups of CustomResourceDefinitions: the schemas that the definitions have, with metadata, and the
//! operations, by which clients find out what a resource supports.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::pack;
use crate::kinds::{Registry, Resource};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The paths of the documents of all custom groups: `apis/example.com/v1`.
pub(super) fn paths(registry: &Registry) -> BTreeSet<String> {
    let all = registry.all();
    all.iter().filter(|resource| resource.custom).map(|resource| path_of(resource)).collect()
}

fn path_of(resource: &Resource) -> String {
    format!("apis/{}", resource.api_version())
}

/// The document of a custom group and version; `None` if there is no such group.
pub(super) fn document(registry: &Registry, path: &str) -> Option<String> {
    let all = registry.all();
    let resources: Vec<&Resource> = all
        .iter()
        .map(|resource| &**resource)
        .filter(|resource| resource.custom && path_of(resource) == path)
        .collect();
    if resources.is_empty() {
        return None;
    }
    let mut paths = Map::new();
    let mut schemas = metadata_schemas();
    for resource in resources {
        let name = name_of(resource);
        let own = registry.schema(resource).unwrap_or_else(|| json!({}));
        schemas.insert(name.clone(), object_schema(resource, own));
        schemas.insert(format!("{name}List"), list_schema(resource, &name));
        let scope = if resource.namespaced { "/namespaces/{namespace}" } else { "" };
        let root = format!("/apis/{}", resource.api_version());
        let plural = &resource.plural;
        paths.insert(format!("{root}{scope}/{plural}"), collection(resource, &name));
        paths.insert(format!("{root}{scope}/{plural}/{{name}}"), object(resource, &name));
        if resource.namespaced {
            let list =
                json!({ "get": operation(resource, "list", &format!("{name}List"), &resource.list_kind) });
            paths.insert(format!("{root}/{plural}"), list);
        }
    }
    let document = json!({
        "openapi": "3.0.0",
        "info": { "title": "Kubernetes CRD Swagger", "version": "v0.1.0" },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    Some(document.to_string())
}

/// The name of the schema of a kind: that of the group backwards, as in `com.example.v1.Widget`.
fn name_of(resource: &Resource) -> String {
    let group: Vec<&str> = resource.group.split('.').rev().collect();
    format!("{}.{}.{}", group.join("."), resource.version, resource.kind)
}

/// The schemas that those of all objects and lists refer to.
fn metadata_schemas() -> Map<String, Value> {
    let needed =
        ["FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "ShardInfo", "Time"];
    let schemas = pack::schemas()
        .filter(|schema| schema.name.strip_prefix(META).is_some_and(|name| needed.contains(&name)));
    schemas
        .filter_map(|schema| Some((schema.name.to_owned(), serde_json::from_str(schema.json).ok()?)))
        .collect()
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn kind_of(resource: &Resource, kind: &str) -> Value {
    json!({ "group": &*resource.group, "version": &*resource.version, "kind": kind })
}

/// The fields that every object has, with the descriptions of built-in kinds.
fn begin(metadata: &str) -> Map<String, Value> {
    let conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
    let version = "APIVersion defines the versioned schema of this representation of an object. Servers should convert \
        recognized schemas to the latest internal value, and may reject unrecognized values. More info:";
    let kind = "Kind is a string value representing the REST resource this object represents. Servers may infer this from \
        the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info:";
    let (what, anchor) = match metadata {
        "ListMeta" => ("Standard list metadata.", "types-kinds"),
        _ => ("Standard object's metadata.", "metadata"),
    };
    let mut fields = Map::new();
    let text = |description: String| json!({ "description": description, "type": "string" });
    fields.insert("apiVersion".to_owned(), text(format!("{version} {conventions}#resources")));
    fields.insert("kind".to_owned(), text(format!("{kind} {conventions}#types-kinds")));
    let description = format!("{what} More info: {conventions}#{anchor}");
    let metadata = reference(&format!("{META}{metadata}"));
    fields.insert("metadata".to_owned(), json!({ "description": description, "allOf": [metadata] }));
    fields
}

pub(crate) fn object_schema(resource: &Resource, mut own: Value) -> Value {
    let mut fields = begin("ObjectMeta");
    if let Some(Value::Object(declared)) = own.get_mut("properties").map(Value::take) {
        for (name, schema) in declared {
            fields.entry(name).or_insert(schema);
        }
    }
    own["type"] = json!("object");
    own["properties"] = fields.into();
    own["x-kubernetes-group-version-kind"] = json!([kind_of(resource, &resource.kind)]);
    own
}

fn list_schema(resource: &Resource, name: &str) -> Value {
    let mut fields = begin("ListMeta");
    let description = format!(
        "List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
        resource.plural
    );
    let items = json!({ "description": description, "type": "array", "items": reference(name) });
    fields.insert("items".to_owned(), items);
    json!({
        "description": format!("{} is a list of {}", resource.list_kind, resource.kind),
        "type": "object",
        "required": ["items"],
        "properties": fields,
        "x-kubernetes-group-version-kind": [kind_of(resource, &resource.list_kind)],
    })
}

fn collection(resource: &Resource, name: &str) -> Value {
    json!({
        "get": operation(resource, "list", &format!("{name}List"), &resource.kind),
        "post": operation(resource, "post", name, &resource.kind),
        "delete": operation(resource, "deletecollection", name, &resource.kind),
    })
}

fn object(resource: &Resource, name: &str) -> Value {
    let one = |action: &str| operation(resource, action, name, &resource.kind);
    json!({ "get": one("get"), "put": one("put"), "patch": one("patch"), "delete": one("delete") })
}

/// An operation with the parameters that kubectl looks for before it uses them.
fn operation(resource: &Resource, action: &str, answer: &str, kind: &str) -> Value {
    let parameters: &[&str] = match action {
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "post" | "put" => &["dryRun", "fieldManager", "fieldValidation"],
        "delete" | "deletecollection" => &["dryRun"],
        _ => &[],
    };
    let parameter = |name: &&str| {
        let kind = if *name == "force" { "boolean" } else { "string" };
        json!({ "name": name, "in": "query", "schema": { "type": kind, "uniqueItems": true } })
    };
    let content = json!({ "application/json": { "schema": reference(answer) } });
    json!({
        "parameters": parameters.iter().map(parameter).collect::<Vec<_>>(),
        "responses": { "200": { "description": "OK", "content": content } },
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind_of(resource, kind),
    })
}

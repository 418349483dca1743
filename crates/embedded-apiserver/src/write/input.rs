//! Objects in the bodies of requests.

use serde_json::Value;

use super::Object;
use crate::go;
use crate::kinds::{Registry, Resource};
use crate::request::Request;
use crate::status::{ApiError, Cause};

/// The Go type in which the real server looks for kind and version.
pub(super) const TYPE_AND_VERSION: &str =
    r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// Refuses a body that is not JSON.
pub(super) fn expect_json(request: &Request) -> Result<(), ApiError> {
    match request.media_type() {
        "application/json" => Ok(()),
        _ => Err(ApiError::unsupported_media_type(&["application/json"])),
    }
}

/// Reads an object of the kind and version of `resource`.
pub(super) fn object(registry: &Registry, resource: &Resource, body: &[u8]) -> Result<Object, ApiError> {
    let unrecognized = |why: String| {
        let (kind, shown) = (&resource.kind, shown(body));
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {why} ({shown})"
        ))
    };
    let problem = |why: String| unrecognized(format!("couldn't get version/kind; json parse error: {why}"));
    let value: Value =
        serde_json::from_slice(body).map_err(|error| problem(go::json_problem(body, &error)))?;
    let Value::Object(mut object) = value else {
        return Err(problem(format!(
            "json: cannot unmarshal {} into Go value of type {TYPE_AND_VERSION}",
            go::json_type(&value)
        )));
    };
    if resource.custom && object.get("kind").is_none_or(|kind| kind == "") {
        return Err(unrecognized(format!("Object 'Kind' is missing in '{}'", String::from_utf8_lossy(body))));
    }
    check_kind(registry, resource, &object)?;
    check_metadata(resource, &object)?;
    object.remove("kind");
    object.remove("apiVersion");
    tidy(resource, &mut object);
    Ok(resource.stored(object))
}

/// Kind and apiVersion must be those of the resource; built-in kinds may leave them out.
pub(super) fn check_kind(registry: &Registry, resource: &Resource, object: &Object) -> Result<(), ApiError> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (kind, version, expected) = (text("kind"), text("apiVersion"), resource.api_version());
    let other_version = || {
        let message = "the API version in the data";
        ApiError::bad_request(format!(
            "{message} ({version}) does not match the expected API version ({expected})"
        ))
    };
    if resource.custom {
        if version != expected {
            return Err(other_version());
        }
        if kind != &*resource.kind {
            let name = object.get("metadata").and_then(|metadata| metadata.get("name"));
            let name = name.and_then(Value::as_str).unwrap_or_default();
            let cause = Cause::invalid("kind", &format!("{kind:?}"), &format!("must be {}", resource.kind));
            return Err(ApiError::invalid(&resource.group, kind, name, vec![cause]));
        }
        return Ok(());
    }
    let given = if version.is_empty() { &expected } else { version };
    let short = given.rsplit('/').next().unwrap_or_default();
    let cannot = |why: String| {
        let handled = if kind.is_empty() { &resource.kind } else { kind };
        let wanted = &resource.kind;
        ApiError::bad_request(format!(
            "{handled} in version \"{short}\" cannot be handled as a {wanted}: {why}"
        ))
    };
    if *given != expected {
        let group = given.rsplit_once('/').map_or("", |(group, _)| group);
        return Err(match registry.find(group, short, &resource.plural) {
            Some(_) => other_version(),
            None if registry.has_kind(group, short, kind) => {
                let own = resource.group.split('.').next().filter(|group| !group.is_empty());
                let (from, to) =
                    (format!("{short}.{kind}"), format!("{}.{}", own.unwrap_or("core"), resource.kind));
                cannot(format!("converting ({from}) to ({to}): unknown conversion"))
            }
            None => cannot(format!(
                "no kind \"{}\" is registered for version \"{given}\" in scheme \"pkg/runtime/scheme.go:111\"",
                if kind.is_empty() { &resource.kind } else { kind }
            )),
        });
    }
    if !kind.is_empty() && kind != &*resource.kind {
        let group = if resource.group.is_empty() { "core" } else { &*resource.group };
        let (from, to) = (format!("{short}.{kind}"), format!("{group}.{}", resource.kind));
        return Err(cannot(format!("converting ({from}) to ({to}): unknown conversion")));
    }
    Ok(())
}

/// Checks the types of the fields that the rest of the server relies on.
pub(super) fn check_metadata(resource: &Resource, object: &Object) -> Result<(), ApiError> {
    let (kind, version) = (&resource.kind, &resource.version);
    let cannot = |value: &Value, field: String, wanted: &str| {
        let found = go::json_type(value);
        Err(ApiError::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: json: cannot unmarshal {found} into Go \
             struct field {field} of type {wanted}"
        )))
    };
    // In a custom resource `spec` and `status` may be of any type.
    for (name, wanted) in [("spec", "Spec"), ("status", "Status")] {
        let given = object.get(name).filter(|_| !resource.custom);
        if let Some(other) = given.filter(|value| !value.is_object() && !value.is_null()) {
            return cannot(other, format!("{kind}.{name}"), &format!("{version}.{kind}{wanted}"));
        }
    }
    let metadata = match object.get("metadata") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(metadata)) => metadata,
        Some(other) if resource.custom => {
            let found = go::json_type(other);
            let message = format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta");
            return Err(ApiError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: {message}"
            )));
        }
        Some(other) => return cannot(other, format!("{kind}.metadata"), "v1.ObjectMeta"),
    };
    let field = |name: &str| match resource.custom {
        true => format!("ObjectMeta.{name}"),
        false => format!("ObjectMeta.metadata.{name}"),
    };
    for name in ["name", "namespace", "generateName", "uid", "resourceVersion"] {
        if let Some(value) = metadata.get(name).filter(|value| !value.is_string() && !value.is_null()) {
            return cannot(value, field(name), "string");
        }
    }
    for name in ["labels", "annotations"] {
        match metadata.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Object(map)) => {
                if let Some(value) = map.values().find(|value| !value.is_string() && !value.is_null()) {
                    return cannot(value, field(name), "string");
                }
            }
            Some(other) => return cannot(other, field(name), "map[string]string"),
        }
    }
    match metadata.get("finalizers") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Array(items)) => match items.iter().find(|item| !item.is_string()) {
            Some(item) => cannot(item, field("finalizers"), "string"),
            None => Ok(()),
        },
        Some(other) => cannot(other, field("finalizers"), "[]string"),
    }
}

/// Reads options or another small document; an empty object if there is no body.
pub(super) fn document(body: &[u8]) -> Result<Object, ApiError> {
    if body.is_empty() {
        return Ok(Object::new());
    }
    serde_json::from_slice(body).map_err(|error| {
        let problem = go::json_problem(body, &error);
        ApiError::bad_request(format!("couldn't get version/kind; json parse error: {problem}"))
    })
}

/// Brings nulls into the form in which they are stored: in maps of texts they are empty texts, and built-in kinds have no
/// others.
pub(super) fn tidy(resource: &Resource, object: &mut Object) {
    let texts = |object: &mut Object, names: &[&str]| {
        for map in names.iter().copied() {
            for value in
                object.get_mut(map).and_then(Value::as_object_mut).into_iter().flat_map(Object::values_mut)
            {
                if value.is_null() {
                    *value = "".into();
                }
            }
        }
    };
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        texts(metadata, &["labels", "annotations"]);
    }
    if !resource.custom {
        if let ("", "configmaps" | "secrets") = (&*resource.group, &*resource.plural) {
            texts(object, &["data", "binaryData", "stringData"]);
        }
        remove_nulls(object);
    }
}

/// Removes fields that are null: the real server drops them when it decodes built-in kinds into Go structs.
fn remove_nulls(object: &mut Object) {
    object.retain(|_, value| !value.is_null());
    for value in object.values_mut() {
        match value {
            Value::Object(object) => remove_nulls(object),
            Value::Array(items) => {
                items.iter_mut().filter_map(Value::as_object_mut).for_each(remove_nulls);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// A body in a message: as text if it may be JSON, as bytes if not.
fn shown(body: &[u8]) -> String {
    match body {
        [] => "<empty>".to_owned(),
        [b'{', ..] => String::from_utf8_lossy(&body[..body.len().min(1024)]).into_owned(),
        _ => body.iter().take(1024).map(|byte| format!("{byte:02x}")).collect(),
    }
}

//! Objects in the bodies of requests.

use serde_json::Value;

use super::fields::{self, FieldValidation};
use super::{Object, custom};
use crate::defaults;
use crate::go;
use crate::kinds::{Registry, Resource};
use crate::request::Request;
use crate::schema::{self, Flavour};
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
pub(super) fn object(
    registry: &Registry,
    resource: &Resource,
    request: &Request,
    validation: FieldValidation,
) -> Result<Object, ApiError> {
    let body = &*request.body;
    let unrecognized = |why: String| {
        let kind = &resource.kind;
        let shown = shown(body);
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): {why} ({shown})"
        ))
    };
    let problem = |why: String| unrecognized(format!("couldn't get version/kind; json parse error: {why}"));
    let kind = &resource.kind;
    let version = &resource.version;
    let cannot = |why: &str| {
        let what = format!("{kind} in version \"{version}\" cannot be handled as a {kind}");
        ApiError::bad_request(format!("{what}: {why}"))
    };
    let of = schema::of(resource).filter(|_| body.trim_ascii_start().starts_with(b"{"));
    if let Some(of) = of {
        let mut text = serde_json::Deserializer::from_slice(body);
        let decoded = schema::decode(of, Flavour::Text, &mut text);
        let decoded = decoded.and_then(|decoded| text.end().map(|()| decoded));
        let decoded = decoded.map_err(|error| problem(go::json_problem(body, &error)))?;
        let mut object = decoded.object;
        check_kind(registry, resource, &object)?;
        if let Some(problem) = &decoded.problem {
            return Err(cannot(problem));
        }
        validation.judge(&decoded.strict, request).map_err(|why| cannot(&why))?;
        object.remove("kind");
        object.remove("apiVersion");
        defaults::set(resource, &mut object);
        return Ok(resource.stored(object));
    }
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
    let mut wrong = schema::duplicates(body);
    wrong.append(&mut fields::read_metadata(&mut object).map_err(|problem| cannot(&problem))?);
    wrong.extend(custom::admit(resource, &mut object).map_err(|problem| cannot(&problem))?);
    validation.judge(&wrong, request).map_err(|why| cannot(&why))?;
    object.remove("kind");
    object.remove("apiVersion");
    tidy(resource, &mut object);
    Ok(resource.stored(object))
}

/// Kind and apiVersion must be those of the resource; built-in kinds may leave them out.
pub(super) fn check_kind(registry: &Registry, resource: &Resource, object: &Object) -> Result<(), ApiError> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = text("kind");
    let version = text("apiVersion");
    let expected = resource.api_version();
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
                let from = format!("{short}.{kind}");
                let to = format!("{}.{}", own.unwrap_or("core"), resource.kind);
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
        let from = format!("{short}.{kind}");
        let to = format!("{group}.{}", resource.kind);
        return Err(cannot(format!("converting ({from}) to ({to}): unknown conversion")));
    }
    Ok(())
}

/// Reads options or another small document; an empty object if there is no body. Whether its fields have the right types is
/// for [`problem`] to say.
pub(super) fn document(body: &[u8]) -> Result<Object, ApiError> {
    if body.is_empty() {
        return Ok(Object::new());
    }
    let bad =
        |why: String| ApiError::bad_request(format!("couldn't get version/kind; json parse error: {why}"));
    let document = match serde_json::from_slice(body) {
        Ok(Value::Object(document)) => document,
        Ok(Value::Null) => return Ok(Object::new()),
        Ok(other) => {
            let found = go::json_type(&other);
            return Err(bad(format!(
                "json: cannot unmarshal {found} into Go value of type {TYPE_AND_VERSION}"
            )));
        }
        Err(error) => return Err(bad(go::json_problem(body, &error))),
    };
    for name in ["kind", "apiVersion"] {
        if let Some(value) = document.get(name).filter(|value| !value.is_string() && !value.is_null()) {
            let found = go::json_type(value);
            return Err(bad(format!(
                "json: cannot unmarshal {found} into Go struct field .{name} of type string"
            )));
        }
    }
    Ok(document)
}

/// The first value of a wrong type in a document of that kind, as Go tells it.
pub(super) fn problem(api_version: &str, kind: &str, document: &Object) -> Option<String> {
    let of = schema::named(api_version, kind)?;
    schema::decode(of, Flavour::Text, &Value::Object(document.clone())).ok()?.problem
}

/// Reads an object of a kind that is no resource of its own, such as an eviction.
pub(super) fn small(body: &[u8], api_version: &str, kind: &str) -> Result<Object, ApiError> {
    let object = document(body)?;
    match problem(api_version, kind, &object) {
        None => Ok(object),
        Some(problem) => {
            let given = object.get("apiVersion").and_then(Value::as_str).filter(|given| !given.is_empty());
            let version = given.unwrap_or(api_version).rsplit('/').next().unwrap_or_default();
            let what = format!("{kind} in version \"{version}\" cannot be handled as a {kind}");
            Err(ApiError::bad_request(format!("{what}: {problem}")))
        }
    }
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

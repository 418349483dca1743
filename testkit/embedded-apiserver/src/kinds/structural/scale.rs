//! The fields that the subresource `scale` is about must have its types.

use serde_json::{Map, Value};

use crate::go;
use crate::kinds::ScalePaths;
use crate::status::Cause;

/// What is wrong with them. The desired number belongs to the spec, so a write of the status does not check it.
pub(super) fn check(object: &Map<String, Value>, paths: &ScalePaths, with_spec: bool) -> Vec<Cause> {
    let wanted = with_spec.then(|| replicas(object, &paths.spec_replicas)).flatten();
    let actual = replicas(object, &paths.status_replicas);
    let selector = paths.label_selector.as_ref().and_then(|path| {
        let why = match find(object, path) {
            Ok(None) => return None,
            Ok(Some(Value::String(_))) => return None,
            Ok(Some(other)) => accessor_error(path, other, "string"),
            Err(why) => why,
        };
        Some(Cause::invalid(path, "\"\"", &why))
    });
    wanted.into_iter().chain(actual).chain(selector).collect()
}

fn replicas(object: &Map<String, Value>, path: &str) -> Option<Cause> {
    let found = match find(object, path) {
        Ok(None) => return None,
        Ok(Some(value)) => value,
        Err(why) => return Some(Cause::invalid(path, "0", &why)),
    };
    let Some(number) = found.as_i64() else {
        return Some(Cause::invalid(path, "0", &accessor_error(path, found, "int64")));
    };
    let why = match number {
        ..0 => "should be a non-negative integer".to_owned(),
        _ if number > i64::from(i32::MAX) => format!("should be less than or equal to {}", i32::MAX),
        _ => return None,
    };
    Some(Cause::invalid(path, &number.to_string(), &why))
}

fn accessor_error(path: &str, value: &Value, wanted: &str) -> String {
    let shown = go::printed(value);
    let found = go::dynamic_type(value);
    format!(
        ".{} accessor error: {shown} is of the type {found}, expected {wanted}",
        path.trim_start_matches('.')
    )
}

fn find<'a>(object: &'a Map<String, Value>, path: &str) -> Result<Option<&'a Value>, String> {
    let names: Vec<&str> = path.trim_start_matches('.').split('.').collect();
    let mut found: Option<&Value> = None;
    for (index, name) in names.iter().enumerate() {
        let inner = match found {
            None => object,
            Some(Value::Object(object)) => object,
            Some(Value::Null) => return Ok(None),
            Some(other) => {
                return Err(accessor_error(&names[..=index].join("."), other, "map[string]interface{}"));
            }
        };
        match inner.get(*name) {
            Some(value) => found = Some(value),
            None => return Ok(None),
        }
    }
    Ok(found)
}

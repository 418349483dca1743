//! Applies JSON patches one operation at a time, so that a small patch cannot grow an object without bounds.

use json_patch::{Patch, PatchOperation, patch_unsafe};
use serde_json::Value;

use crate::status::{ApiError, BODY_LIMIT};

/// How deep a value that a patch inserts may reach. serde_json reads nothing deeper than 127, so a deeper object could be
/// stored but not read again.
const MAX_DEPTH: usize = 100;

/// Applies all operations, or none.
pub(super) fn apply(patch: &Patch, mut document: Value) -> Result<Value, ApiError> {
    let mut copied = 0;
    for operation in &patch.0 {
        check_depth(operation, &document)?;
        if let PatchOperation::Copy(copy) = operation {
            copied += document.pointer(copy.from.as_str()).map_or(0, size);
            if copied > BODY_LIMIT {
                let message = "the accumulated size of the copies of a JSON patch is limited to";
                let message = format!("{message} {BODY_LIMIT}, got {copied}");
                return Err(ApiError::new(413, "RequestEntityTooLarge", message));
            }
        }
        // After a failure the document is thrown away, so there is nothing to undo.
        patch_unsafe(&mut document, std::slice::from_ref(operation)).map_err(|_| ApiError::rejected())?;
    }
    Ok(document)
}

/// Checks the depth of what an operation inserts. Nothing else makes a document deeper, so this is enough.
fn check_depth(operation: &PatchOperation, document: &Value) -> Result<(), ApiError> {
    let (path, value) = match operation {
        PatchOperation::Add(add) => (&add.path, Some(&add.value)),
        PatchOperation::Replace(replace) => (&replace.path, Some(&replace.value)),
        PatchOperation::Copy(copy) => (&copy.path, document.pointer(copy.from.as_str())),
        PatchOperation::Move(moved) => (&moved.path, document.pointer(moved.from.as_str())),
        PatchOperation::Remove(_) | PatchOperation::Test(_) => return Ok(()),
    };
    match path.count() + value.map_or(0, depth) > MAX_DEPTH {
        true => Err(ApiError::rejected()),
        false => Ok(()),
    }
}

/// How deep objects and lists are nested.
fn depth(value: &Value) -> usize {
    match value {
        Value::Object(object) => 1 + object.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// About how many bytes a value takes as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Object(object) => {
            2 + object.iter().map(|(name, value)| name.len() + 4 + size(value)).sum::<usize>()
        }
        Value::Array(items) => 2 + items.iter().map(|item| 1 + size(item)).sum::<usize>(),
        Value::String(text) => 2 + text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
    }
}

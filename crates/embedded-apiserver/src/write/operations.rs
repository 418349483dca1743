//! The operations of a JSON patch, one by one, so that a small patch cannot make something huge.

use json_patch::{Patch, PatchOperation, patch_unsafe};
use serde_json::Value;

use crate::status::{ApiError, BODY_LIMIT};

/// What is put in by a patch ends at this depth at most. Anything deeper than 127 could be written but not be read.
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
        // Nothing need be undone: what fails is thrown away whole.
        patch_unsafe(&mut document, std::slice::from_ref(operation)).map_err(|_| ApiError::rejected())?;
    }
    Ok(document)
}

/// The depth of a document grows by what is put into it only, so it need not be measured whole.
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

/// How many objects and lists are one in the other.
fn depth(value: &Value) -> usize {
    match value {
        Value::Object(object) => 1 + object.values().map(depth).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// About how many bytes it takes as JSON.
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

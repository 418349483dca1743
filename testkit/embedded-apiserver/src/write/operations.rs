//! JSON patches, as the library of kube-apiserver applies them (`gopkg.in/evanphx/json-patch.v4`), which is not quite what
//! RFC 6902 says:
//!
//! - A member that is missing and one that is null are the same: `test` of null passes for both, `replace` sets both, and
//!   `copy` of a missing member sets null. A missing parent is an error.
//! - Negative indices count from the end of a list; `add` at -1 appends.
//! - `test` compares numbers and strings as they are written: `"x<y"` is not `"x\u003cy"`, and the server writes the latter.

use std::collections::HashMap;

use serde::Deserialize as _;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::go;
use crate::status::{ApiError, BODY_LIMIT};
use crate::storage::write_json;

/// How many operations a JSON patch may have.
const MAX_OPERATIONS: usize = 10_000;

/// How deep a value that a patch inserts may reach. serde_json reads nothing deeper than 127, so a deeper object could be
/// stored but not read again.
const MAX_DEPTH: usize = 100;

/// An operation of a patch.
#[derive(Debug, Default)]
struct Operation<'a> {
    kind: String,
    /// `None` if it is missing, as `from`.
    path: Option<String>,
    from: Option<String>,
    value: Option<&'a RawValue>,
}

/// A JSON patch.
#[derive(Debug)]
pub(super) struct Operations<'a>(Vec<Operation<'a>>);

/// An operation that cannot be applied. The server does not say which, or why.
#[derive(Debug)]
struct Refused;

impl<'a> Operations<'a> {
    /// Reads a patch. `null` is a patch without operations.
    pub(super) fn read(patch: &'a [u8]) -> Result<Self, ApiError> {
        let bad = |why: String| ApiError::bad_request(format!("error decoding patch: {why}"));
        let wrong = |found: &Value, wanted: &str| {
            bad(format!("json: cannot unmarshal {} into Go {wanted}", go::json_type(found)))
        };
        let parsed: Value =
            serde_json::from_slice(patch).map_err(|error| bad(go::json_problem(patch, &error)))?;
        let items = match &parsed {
            Value::Null => return Ok(Self(Vec::new())),
            Value::Array(items) => items,
            other => return Err(wrong(other, "value of type []handlers.jsonPatchOp")),
        };
        for item in items {
            if !item.is_object() && !item.is_null() {
                return Err(wrong(item, "value of type handlers.jsonPatchOp"));
            }
            for name in ["op", "path", "from"] {
                match item.get(name) {
                    None | Some(Value::Null | Value::String(_)) => {}
                    Some(other) => {
                        return Err(wrong(other, &format!("struct field jsonPatchOp.{name} of type string")));
                    }
                }
            }
        }
        if items.len() > MAX_OPERATIONS {
            let message = "Request entity too large: The allowed maximum operations in a JSON patch is";
            let message = format!("{message} {MAX_OPERATIONS}, got {}", items.len());
            return Err(ApiError::new(413, "RequestEntityTooLarge", message));
        }
        // Read again for the texts of the values.
        let raw: Vec<Option<HashMap<String, &'a RawValue>>> =
            serde_json::from_slice(patch).map_err(|error| bad(go::json_problem(patch, &error)))?;
        Ok(Self(raw.into_iter().map(|item| Operation::read(&item.unwrap_or_default())).collect()))
    }

    /// Applies all operations, or none.
    pub(super) fn apply(&self, mut document: Value) -> Result<Value, ApiError> {
        let mut copied = 0;
        for operation in &self.0 {
            operation.apply(&mut document, &mut copied).map_err(|Refused| ApiError::rejected())?;
        }
        Ok(document)
    }
}

impl<'a> Operation<'a> {
    fn read(members: &HashMap<String, &'a RawValue>) -> Self {
        let text = |name: &str| members.get(name).and_then(|raw| String::deserialize(*raw).ok());
        Self {
            kind: text("op").unwrap_or_default(),
            path: text("path"),
            from: text("from"),
            value: members.get("value").copied(),
        }
    }

    fn apply(&self, document: &mut Value, copied: &mut usize) -> Result<(), Refused> {
        let path = self.path.as_deref().ok_or(Refused)?;
        match &*self.kind {
            "add" => Place::find(document, path)?.add(self.value(path)?),
            "remove" => Place::find(document, path)?.remove().map(drop),
            "replace" if path.is_empty() => match self.value(path)? {
                value @ (Value::Object(_) | Value::Array(_)) => {
                    *document = value;
                    Ok(())
                }
                _ => Err(Refused),
            },
            "replace" => Place::find(document, path)?.replace(self.value(path)?),
            "move" => {
                let moved = Place::find(document, self.from.as_deref().ok_or(Refused)?)?.remove()?;
                check_depth(path, &moved)?;
                Place::find(document, path)?.add(moved)
            }
            "copy" => {
                let from = self.from.as_deref().ok_or(Refused)?;
                let copy = Place::find(document, from)?.get()?.clone();
                check_depth(path, &copy)?;
                // A small patch must not grow an object without bounds.
                *copied += size(&copy);
                if *copied > BODY_LIMIT {
                    return Err(Refused);
                }
                Place::find(document, path)?.add(copy)
            }
            "test" => {
                let found = if path.is_empty() { &*document } else { Place::find(document, path)?.get()? };
                if same(found, self.value) { Ok(()) } else { Err(Refused) }
            }
            _ => Err(Refused),
        }
    }

    /// The value that is written at a path; null if there is none.
    fn value(&self, path: &str) -> Result<Value, Refused> {
        let value = self.value.map_or(Ok(Value::Null), Value::deserialize).map_err(|_| Refused)?;
        check_depth(path, &value)?;
        Ok(value)
    }
}

/// Whether a part of the document is what a `test` expects: members and items one by one, all else as text.
fn same(found: &Value, expected: Option<&RawValue>) -> bool {
    let Some(expected) = expected.filter(|expected| expected.get() != "null") else { return found.is_null() };
    match found {
        Value::Null => false,
        Value::Object(members) => {
            let Ok(expected) = HashMap::<String, &RawValue>::deserialize(expected) else { return false };
            let is_same = |(name, value)| expected.get(name).is_some_and(|raw| same(value, Some(raw)));
            members.len() == expected.len() && members.iter().all(is_same)
        }
        Value::Array(items) => {
            let Ok(expected) = Vec::<&RawValue>::deserialize(expected) else { return false };
            let both = items.iter().zip(&expected);
            items.len() == expected.len() && both.into_iter().all(|(item, raw)| same(item, Some(raw)))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let mut text = Vec::new();
            write_json(&mut text, found);
            text == expected.get().as_bytes()
        }
    }
}

/// A place in a document: a member of an object, or an index of a list. There need not be a value.
enum Place<'a> {
    Member(&'a mut serde_json::Map<String, Value>, String),
    Item(&'a mut Vec<Value>, String),
}

static NULL: Value = Value::Null;

impl<'a> Place<'a> {
    /// Finds the object or list in which the last part of a path is. Whatever precedes the first slash is ignored.
    fn find(document: &'a mut Value, path: &str) -> Result<Self, Refused> {
        let mut parts = path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~"));
        let mut last = parts.next().ok_or(Refused)?;
        let mut at = document;
        for next in parts {
            at = match at {
                Value::Object(members) => members.get_mut(&last).ok_or(Refused)?,
                Value::Array(items) => {
                    let index = index(&last, items.len())?;
                    items.get_mut(index).ok_or(Refused)?
                }
                _ => return Err(Refused),
            };
            last = next;
        }
        match at {
            Value::Object(members) => Ok(Self::Member(members, last)),
            Value::Array(items) => Ok(Self::Item(items, last)),
            _ => Err(Refused),
        }
    }

    fn get(self) -> Result<&'a Value, Refused> {
        match self {
            Self::Member(members, name) => Ok(members.get(&name).unwrap_or(&NULL)),
            Self::Item(items, at) => {
                let index = index(&at, items.len())?;
                items.get(index).ok_or(Refused)
            }
        }
    }

    fn add(self, value: Value) -> Result<(), Refused> {
        match self {
            Self::Member(members, name) => drop(members.insert(name, value)),
            Self::Item(items, at) if at == "-" => items.push(value),
            Self::Item(items, at) => match index(&at, items.len() + 1)? {
                index if index <= items.len() => items.insert(index, value),
                _ => return Err(Refused),
            },
        }
        Ok(())
    }

    fn replace(self, value: Value) -> Result<(), Refused> {
        match self {
            Self::Member(members, name) => drop(members.insert(name, value)),
            Self::Item(items, at) => {
                let index = index(&at, items.len())?;
                *items.get_mut(index).ok_or(Refused)? = value;
            }
        }
        Ok(())
    }

    fn remove(self) -> Result<Value, Refused> {
        match self {
            Self::Member(members, name) => members.remove(&name).ok_or(Refused),
            Self::Item(items, at) => match index(&at, items.len())? {
                index if index < items.len() => Ok(items.remove(index)),
                _ => Err(Refused),
            },
        }
    }
}

/// An index of a list of that length. Negative ones count from the end.
fn index(text: &str, length: usize) -> Result<usize, Refused> {
    let index: i64 = text.parse().map_err(|_| Refused)?;
    match usize::try_from(index.unsigned_abs()).map_err(|_| Refused)? {
        from_end if index < 0 => length.checked_sub(from_end).ok_or(Refused),
        index => Ok(index),
    }
}

/// Checks the depth of what an operation inserts, so that a patch cannot make a document deeper and deeper.
fn check_depth(path: &str, value: &Value) -> Result<(), Refused> {
    if path.split('/').skip(1).count() + depth(value) > MAX_DEPTH { Err(Refused) } else { Ok(()) }
}

/// How deep objects and lists are nested.
pub(super) fn depth(value: &Value) -> usize {
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

//! Strategic merge patches: merge patches that merge those lists of built-in kinds item by item for which the type of the
//! object says so. Their errors are those of kube-apiserver, which answers many of them with 500.

mod lists;

use serde_json::Value;

use super::Object;
use super::merge::without_nulls;
use crate::go;
use crate::schema::{Field, Shape, Struct};
use crate::status::ApiError;

/// In a map or in an item of a list: what to do with it.
const DIRECTIVE: &str = "$patch";
/// In a map: the fields that stay.
const RETAIN: &str = "$retainKeys";
/// Before the name of a list, with the order of its items.
const ORDER: &str = "$setElementOrder";
/// Before the name of a list of scalars, with items to remove.
const DELETE: &str = "$deleteFromPrimitiveList";

/// Applies a patch to an object of that type. Without a type maps are merged and lists are replaced.
pub(super) fn merge(of: Option<&Struct>, object: Object, patch: Object) -> Result<Object, ApiError> {
    merge_map(of.map_or(Type::Unknown, Type::Struct), object, patch)
}

/// What is known of a map and its fields.
#[derive(Clone, Copy)]
enum Type<'a> {
    Struct(&'a Struct),
    /// A map with keys of the user's choice.
    Map,
    /// A struct that keeps JSON as it is.
    Raw,
    Unknown,
}

/// How a field is merged.
#[derive(Clone, Copy)]
struct Rule<'a> {
    /// The type of the field, or of the items if it is a list.
    of: Type<'a>,
    strategy: &'a str,
    merge_key: &'a str,
}

impl<'a> Type<'a> {
    fn of_shape(shape: &'a Shape) -> Self {
        match shape {
            Shape::Struct(lazy) => Self::Struct(lazy.get()),
            Shape::Map(_) => Self::Map,
            _ => Self::Raw,
        }
    }

    fn field(self, name: &str) -> Result<Option<&'a Field>, ApiError> {
        let missing = |of: &str| {
            let of = of.rsplit('.').next().unwrap_or_default();
            let why = "unable to find api field in struct";
            Err(ApiError::internal(format!("{why} {of} for the json field {name:?}")))
        };
        match self {
            Self::Struct(of) => match of.fields.get(name) {
                Some(field) => Ok(Some(field)),
                None => missing(of.go_name),
            },
            Self::Map => Err(ApiError::internal(
                "merging an object in json but data type is not struct, instead is: map",
            )),
            Self::Raw => missing("RawExtension"),
            Self::Unknown => Ok(None),
        }
    }

    /// How a field that is a map is merged.
    fn map_rule(self, name: &str) -> Result<Rule<'a>, ApiError> {
        Ok(match self.field(name)? {
            Some(field) => Rule {
                of: Type::of_shape(&field.shape),
                strategy: &field.strategy,
                merge_key: &field.merge_key,
            },
            None => Rule { of: Type::Unknown, strategy: "", merge_key: "" },
        })
    }

    /// How a field that is a list is merged.
    fn list_rule(self, name: &str) -> Result<Rule<'a>, ApiError> {
        Ok(match self.field(name)? {
            Some(Field { shape: Shape::List(items), strategy, merge_key, .. }) => {
                Rule { of: Type::of_shape(items), strategy, merge_key }
            }
            Some(Field { shape: Shape::Struct(item), strategy, merge_key, .. }) => {
                Rule { of: Type::Struct(item.get()), strategy, merge_key }
            }
            Some(_) => return Err(ApiError::internal("expected slice or array type, but got: struct")),
            None => Rule { of: Type::Unknown, strategy: "", merge_key: "" },
        })
    }
}

fn merge_map(of: Type<'_>, mut original: Object, mut patch: Object) -> Result<Object, ApiError> {
    match patch.get(DIRECTIVE) {
        None => {}
        Some(directive) if directive == "replace" => {
            patch.remove(DIRECTIVE);
            return Ok(patch);
        }
        Some(directive) if directive == "delete" => return Ok(Object::new()),
        Some(directive) => return Err(unknown_directive(directive, &patch)),
    }
    retain(&mut original, &mut patch)?;
    lists::merge_ordered(of, &mut original, &mut patch)?;
    for (name, change) in patch {
        let (name, deletes) = if name.starts_with(DELETE) {
            (list_name(&name, DELETE, "primitive list")?, true)
        } else {
            (name, false)
        };
        if change.is_null() {
            original.remove(&name);
            continue;
        }
        let merged = match (original.remove(&name), change) {
            (Some(Value::Object(old)), Value::Object(change)) => {
                let rule = of.map_rule(&name)?;
                Some(Value::Object(match rule.strategy {
                    "replace" => change,
                    _ => merge_map(rule.of, old, change)?,
                }))
            }
            (Some(Value::Array(old)), Value::Array(change)) => {
                let rule = of.list_rule(&name)?;
                Some(Value::Array(lists::merge_list(rule, old, change, deletes)?))
            }
            (old, _) if deletes => old,
            (_, change) => without_directives(without_nulls(change)),
        };
        if let Some(merged) = merged {
            original.insert(name, merged);
        }
    }
    Ok(original)
}

/// `$retainKeys`: removes the fields that are not in its list. The patch must not set others.
fn retain(original: &mut Object, patch: &mut Object) -> Result<(), ApiError> {
    let Some(retained) = patch.remove(RETAIN) else { return Ok(()) };
    let bad = || ApiError::bad_request("invalid patch format of retainKeys");
    let retained = retained.as_array().ok_or_else(bad)?;
    let is_retained = |name: &str| retained.iter().any(|other| other == name);
    let is_list_directive = |name: &str| name.starts_with(DELETE) || name.starts_with(ORDER);
    for (name, change) in patch.iter() {
        if !change.is_null() && !is_list_directive(name) && !is_retained(name) {
            return Err(bad());
        }
    }
    original.retain(|name, _| is_retained(name));
    Ok(())
}

/// The name of the list that a directive is about: what is after the slash.
fn list_name(key: &str, directive: &str, what: &str) -> Result<String, ApiError> {
    let name = key.strip_prefix(directive).and_then(|rest| rest.strip_prefix('/'));
    name.map(str::to_owned).ok_or_else(|| ApiError::bad_request(format!("invalid patch format of {what}")))
}

fn unknown_directive(directive: &Value, map: &Object) -> ApiError {
    let directive = go::printed(directive);
    let map = go::printed_map(map);
    ApiError::internal(format!("unknown patch type: {directive} in map: {map}"))
}

/// A value that is new, without the maps in it that only say what to remove.
fn without_directives(value: Value) -> Option<Value> {
    Some(match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => return None,
        Value::Object(members) => {
            let kept =
                members.into_iter().filter_map(|(name, value)| Some((name, without_directives(value)?)));
            Value::Object(kept.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().filter_map(without_directives).collect()),
        other => other,
    })
}

#[cfg(test)]
mod tests;

//! A value without some of its fields, or with only these.

use serde_json::{Map, Value};

use super::element::Element;
use super::set::Set;
use super::types::{ListType, MapType, Sort, Type};

/// The value without these fields. Where all of a map or list goes, null is left.
pub(crate) fn without(value: &Value, fields: &Set, of: Type<'_>) -> Value {
    match of.resolve().and_then(|atom| atom.deduced(Some(value)).sort()) {
        Ok(Sort::Scalar(_)) => value.clone(),
        Ok(Sort::List(list)) if !list.atomic => list_without(value, fields, list),
        Ok(Sort::Map(map)) if !map.atomic => map_without(value, fields, map),
        _ => Value::Null,
    }
}

fn list_without(value: &Value, fields: &Set, list: ListType<'_>) -> Value {
    let mut left = Vec::new();
    for item in value.as_array().into_iter().flatten() {
        let element = list.element(item).ok();
        match element.and_then(|element| part(fields, &element)) {
            Some(Part::All) => {}
            Some(Part::Some(inner)) => left.push(without(item, inner, list.items())),
            None => left.push(item.clone()),
        }
    }
    if left.is_empty() { Value::Null } else { left.into() }
}

fn map_without(value: &Value, fields: &Set, map: MapType<'_>) -> Value {
    let mut left = Map::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        match part(fields, &Element::field(name)) {
            Some(Part::All) => {}
            Some(Part::Some(inner)) => {
                left.insert(name.clone(), without(value, inner, map.field(name)));
            }
            None => {
                left.insert(name.clone(), value.clone());
            }
        }
    }
    if left.is_empty() { Value::Null } else { left.into() }
}

/// What is chosen of an element.
enum Part<'a> {
    All,
    Some(&'a Set),
}

fn part<'a>(fields: &'a Set, element: &Element) -> Option<Part<'a>> {
    if fields.has_member(element) { Some(Part::All) } else { fields.below(element).map(Part::Some) }
}

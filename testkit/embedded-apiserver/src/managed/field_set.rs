//! The fields that a value sets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::element::Element;
use super::set::Set;
use super::types::{ListType, MapType, Sort, Type};

/// All fields of a value. The items of lists and the values of maps are among them, structs are not.
pub(crate) fn field_set(value: &Value, of: Type<'_>) -> Result<Set, String> {
    let mut walk = Walk { set: Set::default(), path: Vec::new() };
    walk.value(value, of)?;
    Ok(walk.set)
}

struct Walk {
    set: Set,
    path: Vec<Element>,
}

impl Walk {
    fn value(&mut self, value: &Value, of: Type<'_>) -> Result<(), String> {
        match of.resolve()?.deduced(Some(value)).sort()? {
            Sort::Scalar(_) => self.set.insert(&self.path),
            Sort::List(list) if list.atomic => self.set.insert(&self.path),
            Sort::Map(map) if map.atomic => self.set.insert(&self.path),
            Sort::List(list) => self.list(value, list)?,
            Sort::Map(map) => self.map(value, map)?,
        }
        Ok(())
    }

    fn list(&mut self, value: &Value, list: ListType<'_>) -> Result<(), String> {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let named: Vec<(Element, &Value)> =
            items.iter().filter_map(|item| Some((list.element(item).ok()?, item))).collect();
        let mut counts: BTreeMap<&Element, usize> = BTreeMap::new();
        for (element, _) in &named {
            *counts.entry(element).or_default() += 1;
        }
        for (element, item) in &named {
            self.path.push(element.clone());
            self.set.insert(&self.path);
            // Items that occur several times are owned as one.
            if counts.get(element) == Some(&1) {
                self.value(item, list.items())?;
            }
            self.path.pop();
        }
        Ok(())
    }

    fn map(&mut self, value: &Value, map: MapType<'_>) -> Result<(), String> {
        for (name, value) in value.as_object().into_iter().flatten() {
            self.path.push(Element::field(name));
            self.value(value, map.field(name))?;
            let is_empty = match value {
                Value::Null => true,
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            if is_empty || !map.declares(name) {
                self.set.insert(&self.path);
            }
            self.path.pop();
        }
        Ok(())
    }
}

//! An applied configuration laid over the live object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::element::Element;
use super::types::{Atom, ListType, MapType, Sort, Type};
use super::validate;

/// The live object with all that the configuration sets. Nothing is removed.
pub(crate) fn merge(live: &Value, applied: &Value, of: Type<'_>) -> Result<Value, String> {
    Ok(values(Some(live), Some(applied), of)?.unwrap_or_default())
}

/// A value that may be absent, which is another thing than null.
type Side<'a> = Option<&'a Value>;

fn values(live: Side<'_>, applied: Side<'_>, of: Type<'_>) -> Result<Option<Value>, String> {
    let atom = of.resolve()?;
    match (live, applied) {
        (_, None) => merge_atom(atom.deduced(live), live, applied),
        (None, _) => merge_atom(atom.deduced(applied), live, applied),
        _ => {
            let old = atom.deduced(live);
            let new = atom.deduced(applied);
            if !old.is_like(new) {
                // Only to know whether it can be.
                merge_atom(old, live, applied)?;
            }
            merge_atom(new, live, applied)
        }
    }
}

fn merge_atom(atom: Atom<'_>, live: Side<'_>, applied: Side<'_>) -> Result<Option<Value>, String> {
    let leaf = || applied.or(live).cloned();
    match atom.sort()? {
        Sort::Scalar(scalar) => {
            validate::one_is(scalar, live, applied)?;
            Ok(leaf())
        }
        Sort::List(list) => {
            let old = live.and_then(Value::as_array);
            let new = applied.and_then(Value::as_array);
            let old = old.map_or(&[][..], Vec::as_slice);
            let new = new.map_or(&[][..], Vec::as_slice);
            // Null and an empty list are told apart.
            if list.atomic || (old.is_empty() && new.is_empty()) {
                return Ok(leaf());
            }
            lists(old, new, list)
        }
        Sort::Map(map) => {
            let old = live.and_then(Value::as_object);
            let new = applied.and_then(Value::as_object);
            if map.atomic || (old.is_none_or(Map::is_empty) && new.is_none_or(Map::is_empty)) {
                return Ok(leaf());
            }
            maps(old, new, map)
        }
    }
}

fn maps(
    live: Option<&Map<String, Value>>,
    applied: Option<&Map<String, Value>>,
    map: MapType<'_>,
) -> Result<Option<Value>, String> {
    let mut merged = Map::new();
    let names = live.into_iter().chain(applied).flat_map(Map::keys);
    for name in names {
        if merged.contains_key(name) {
            continue;
        }
        let old = live.and_then(|live| live.get(name));
        let new = applied.and_then(|applied| applied.get(name));
        let value = values(old, new, map.field(name));
        let value = value.map_err(|problem| format!(".{name}{}{problem}", separator(&problem)))?;
        merged.extend(value.map(|value| (name.clone(), value)));
    }
    Ok((!merged.is_empty()).then(|| merged.into()))
}

/// Between the name of a field and what is below it, or what is wrong with it.
fn separator(problem: &str) -> &'static str {
    if problem.starts_with(['.', '[']) { "" } else { ": " }
}

/// The items that both have come in the order of the applied configuration. The others stay before the item that they were
/// before; those that are new come after the item that the configuration has before them.
fn lists(live: &[Value], applied: &[Value], list: ListType<'_>) -> Result<Option<Value>, String> {
    let new = list.named(applied)?;
    let mut applied_by_name: BTreeMap<&Element, &Value> = BTreeMap::new();
    for (element, item) in &new {
        if applied_by_name.insert(element, item).is_some() {
            return Err(format!("duplicate entries for key {element}"));
        }
    }
    let old = list.named(live)?;
    let mut live_by_name: BTreeMap<&Element, &Value> = BTreeMap::new();
    for (element, item) in &old {
        // Items that occur several times are replaced, not merged.
        live_by_name.entry(element).and_modify(|known| *known = &Value::Null).or_insert(item);
    }
    let mut merged = Merged { items: Vec::new(), list };
    let mut shared =
        new.iter().map(|(element, _)| element).filter(|element| live_by_name.contains_key(element));
    let mut next_shared = shared.next();
    let mut done: BTreeSet<&Element> = BTreeSet::new();
    let mut old_left = old.as_slice();
    let mut new_left = new.as_slice();
    while !old_left.is_empty() || !new_left.is_empty() {
        if let ([(element, _), old_rest @ ..], [(wanted, item), new_rest @ ..]) = (old_left, new_left) {
            if element == wanted {
                done.insert(wanted);
                merged.push(live_by_name.get(wanted).copied(), Some(item));
                old_left = old_rest;
                new_left = new_rest;
                next_shared = shared.next();
                continue;
            }
            // Another one of those that both have comes first; this one has its turn later.
            if applied_by_name.contains_key(element) && next_shared.is_some_and(|next| next != element) {
                old_left = old_rest;
                continue;
            }
        }
        if let [(element, item), rest @ ..] = old_left {
            if !applied_by_name.contains_key(element) {
                merged.push(Some(item), None);
                old_left = rest;
                continue;
            }
            if done.contains(element) {
                old_left = rest;
            }
        }
        if let [(element, item), rest @ ..] = new_left {
            done.insert(element);
            merged.push(live_by_name.get(element).copied(), Some(item));
            new_left = rest;
            if next_shared == Some(element) {
                next_shared = shared.next();
            }
        }
    }
    Ok((!merged.items.is_empty()).then(|| merged.items.into()))
}

struct Merged<'s> {
    items: Vec<Value>,
    list: ListType<'s>,
}

impl Merged<'_> {
    /// Sic: the real server drops an item that cannot be merged.
    fn push(&mut self, live: Side<'_>, applied: Side<'_>) {
        self.items.extend(values(live, applied, self.list.items()).ok().flatten());
    }
}

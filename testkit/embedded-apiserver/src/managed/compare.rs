//! What has changed between two values.

use std::collections::BTreeMap;

use serde_json::Value;

use super::element::{Element, equal};
use super::set::Set;
use super::types::{Atom, ListType, MapType, Sort, Type};
use super::validate;

/// The fields that differ. Each is in one of the sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) added: Set,
    pub(crate) modified: Set,
    pub(crate) removed: Set,
}

pub(crate) fn compare(before: &Value, after: &Value, of: Type<'_>) -> Result<Comparison, String> {
    let mut walk = Walk { found: Comparison::default(), path: Vec::new() };
    walk.values(Some(before), Some(after), of)?;
    Ok(walk.found)
}

struct Walk {
    found: Comparison,
    path: Vec<Element>,
}

/// A value that may be absent, which is another thing than null.
type Side<'a> = Option<&'a Value>;

impl Walk {
    fn values(&mut self, before: Side<'_>, after: Side<'_>, of: Type<'_>) -> Result<(), String> {
        // Most of an object stays as it is, and finding that out is faster than going through it by its type.
        if before.is_some() && before == after {
            return Ok(());
        }
        let atom = of.resolve()?;
        let old = atom.deduced(before);
        let new = atom.deduced(after);
        let is_leaf = if after.is_none() {
            self.atom(old, before, after)?
        } else if before.is_none() || old.is_like(new) {
            self.atom(new, before, after)?
        } else {
            // It was of another sort: all of the one goes and all of the other comes.
            self.atom(old, before, after)?;
            self.atom(new, before, after)?
        };
        if !is_leaf {
            match (before, after) {
                (None, _) => self.found.added.insert(&self.path),
                (_, None) => self.found.removed.insert(&self.path),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether it has been compared as a whole.
    fn atom(&mut self, atom: Atom<'_>, before: Side<'_>, after: Side<'_>) -> Result<bool, String> {
        match atom.sort()? {
            Sort::Scalar(scalar) => {
                validate::one_is(scalar, before, after)?;
                self.leaf(before, after);
                Ok(true)
            }
            // Where there is nothing to enter, null, empty and absent are told apart.
            Sort::List(list) => {
                if list.atomic || (items(before).is_empty() && items(after).is_empty()) {
                    self.leaf(before, after);
                    return Ok(true);
                }
                self.lists(items(before), items(after), list)?;
                Ok(false)
            }
            Sort::Map(map) => {
                if map.atomic || (has_no_members(before) && has_no_members(after)) {
                    self.leaf(before, after);
                    return Ok(true);
                }
                self.maps(before, after, map)?;
                Ok(false)
            }
        }
    }

    fn leaf(&mut self, before: Side<'_>, after: Side<'_>) {
        match (before, after) {
            (None, _) => self.found.added.insert(&self.path),
            (_, None) => self.found.removed.insert(&self.path),
            (Some(before), Some(after)) if !equal(before, after) => self.found.modified.insert(&self.path),
            _ => {}
        }
    }

    fn maps(&mut self, before: Side<'_>, after: Side<'_>, map: MapType<'_>) -> Result<(), String> {
        let old = before.and_then(Value::as_object);
        let new = after.and_then(Value::as_object);
        let names = old.into_iter().flatten().map(|(name, _)| name);
        let added = new.into_iter().flatten().map(|(name, _)| name);
        let added = added.filter(|name| old.is_none_or(|old| !old.contains_key(*name)));
        for name in names.chain(added) {
            self.path.push(Element::field(name));
            let old = old.and_then(|old| old.get(name));
            let new = new.and_then(|new| new.get(name));
            self.values(old, new, map.field(name))?;
            self.path.pop();
        }
        Ok(())
    }

    fn lists(&mut self, before: &[Value], after: &[Value], list: ListType<'_>) -> Result<(), String> {
        let old = list.named(before)?;
        let new = list.named(after)?;
        // By name, and in the order of the lists.
        let mut sides: BTreeMap<&Element, [Vec<&Value>; 2]> = BTreeMap::new();
        let mut order: Vec<&Element> = Vec::new();
        for (side, named) in [&old, &new].into_iter().enumerate() {
            for (element, item) in named {
                let sides = sides.entry(element).or_insert_with(|| {
                    order.push(element);
                    Default::default()
                });
                sides[side].push(item);
            }
        }
        for element in order {
            let Some([old, new]) = sides.remove(element) else { continue };
            self.path.push(element.clone());
            match (old.as_slice(), new.as_slice()) {
                ([] | [_], [] | [_]) => {
                    self.values(old.first().copied(), new.first().copied(), list.items())?;
                }
                // Items that occur several times are owned as one.
                ([_, _, ..], [_, _, ..]) => {
                    let same =
                        old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| equal(old, new));
                    if !same {
                        self.found.modified.insert(&self.path);
                    }
                }
                ([_, _, ..], _) => {
                    if let Some(new) = new.first() {
                        self.values(None, Some(new), list.items())?;
                    }
                    self.found.removed.insert(&self.path);
                }
                (_, [_, _, ..]) => {
                    if let Some(old) = old.first() {
                        self.values(Some(old), None, list.items())?;
                    }
                    self.found.added.insert(&self.path);
                }
            }
            self.path.pop();
        }
        Ok(())
    }
}

fn items(side: Side<'_>) -> &[Value] {
    side.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn has_no_members(side: Side<'_>) -> bool {
    side.and_then(Value::as_object).is_none_or(serde_json::Map::is_empty)
}

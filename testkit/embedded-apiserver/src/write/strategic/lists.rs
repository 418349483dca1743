//! Lists in strategic merge patches: which items they have afterwards, and in which order.

use std::mem::discriminant;

use serde_json::Value;

use super::{DIRECTIVE, ORDER, Rule, Type, list_name, merge_map, unknown_directive, without_directives};
use crate::go;
use crate::status::ApiError;
use crate::write::Object;

/// Merges the lists whose order the patch sets, and takes them out of the patch.
pub(super) fn merge_ordered(of: Type<'_>, original: &mut Object, patch: &mut Object) -> Result<(), ApiError> {
    let keys: Vec<String> = patch.keys().filter(|key| key.starts_with(ORDER)).cloned().collect();
    for key in keys {
        let order = into_list(patch.remove(&key).unwrap_or_default())?;
        let name = list_name(&key, ORDER, "setElementOrder list")?;
        let old = original.get(&name).cloned().map(into_list).transpose()?;
        let change = patch.get(&name).cloned().map(into_list).transpose()?;
        let rule = of.list_rule(&name)?;
        check_order(change.as_deref().unwrap_or_default(), &order, rule.merge_key)?;
        let merged = match (&old, &change) {
            (None, None) => continue,
            (Some(old), None) => old.clone(),
            (None, Some(change)) => change.iter().cloned().filter_map(without_directives).collect(),
            (Some(old), Some(change)) => merge_list(rule, old.clone(), change.clone(), false)?,
        };
        let old = old.unwrap_or_default();
        let change = change.unwrap_or_default();
        if element(&old, &change)?.is_none() {
            return Err(ApiError::internal("no elements in any of the given slices"));
        }
        let before = as_seen_by_go(old, &change, rule.merge_key);
        let sorted = sorted(merged, &order, &before, rule.merge_key)?;
        original.insert(name.clone(), Value::Array(sorted));
        patch.remove(&name);
    }
    Ok(())
}

/// The list on the server as Go sees it after the merge, when it puts the items in order. The merge writes into the same memory:
/// what is deleted is gone, and new items are in the places that this makes free.
fn as_seen_by_go(old: Vec<Value>, change: &[Value], merge_key: &str) -> Vec<Value> {
    let is_new = |item: &Value, old: &[Value]| {
        let key = item.get(merge_key).filter(|_| item.get(DIRECTIVE).is_none());
        key.is_some() && !old.iter().any(|other| other.get(merge_key) == key)
    };
    let is_deleted = |item: &Value| {
        let deletes = |other: &&Value| other.get(DIRECTIVE).is_some_and(|directive| directive == "delete");
        change.iter().filter(deletes).any(|other| other.get(merge_key) == item.get(merge_key))
    };
    if merge_key.is_empty() || !old.iter().any(is_deleted) {
        return old;
    }
    let length = old.len();
    let mut seen: Vec<Value> = old.into_iter().filter(|item| !is_deleted(item)).collect();
    let new: Vec<Value> = change.iter().filter(|item| is_new(item, &seen)).cloned().collect();
    seen.extend(new);
    seen.truncate(length);
    seen
}

/// Merges the items of a patch into a list. With `deletes` they are removed from it instead.
pub(super) fn merge_list(
    rule: Rule<'_>,
    old: Vec<Value>,
    change: Vec<Value>,
    deletes: bool,
) -> Result<Vec<Value>, ApiError> {
    if rule.strategy != "merge" && !deletes {
        return Ok(change);
    }
    match element(&old, &change)? {
        None => Ok(old),
        Some(Value::Object(_)) => merge_objects(rule, old, change),
        Some(_) if deletes => Ok(old.into_iter().filter(|item| !change.contains(item)).collect()),
        Some(_) => {
            let mut merged: Vec<Value> = Vec::new();
            for item in old.iter().chain(&change) {
                if !merged.contains(item) {
                    merged.push(item.clone());
                }
            }
            sorted(merged, &change, &old, "")
        }
    }
}

fn merge_objects(rule: Rule<'_>, old: Vec<Value>, change: Vec<Value>) -> Result<Vec<Value>, ApiError> {
    if rule.merge_key.is_empty() {
        return Err(ApiError::internal("cannot merge lists without merge key for struct"));
    }
    let mut old = old;
    let mut plain = Vec::new();
    let mut replaces = false;
    for item in change {
        let Value::Object(item) = item else { continue };
        match item.get(DIRECTIVE) {
            None => plain.push(Value::Object(item)),
            Some(directive) if directive == "replace" => replaces = true,
            Some(directive) if directive == "delete" => {
                let deleted = key_of(&item, rule.merge_key)?;
                old.retain(|other| other.get(rule.merge_key) != Some(deleted));
            }
            Some(directive) if directive == "merge" => {
                return Err(ApiError::internal("merging lists cannot yet be specified in the patch"));
            }
            Some(directive) => return Err(unknown_directive(directive, &item)),
        }
    }
    if replaces {
        return sorted(plain.clone(), &[], &plain, rule.merge_key);
    }
    let mut merged = old.clone();
    for item in &plain {
        let Value::Object(item) = item else { continue };
        let key = key_of(item, rule.merge_key)?;
        match merged.iter_mut().find(|other| other.get(rule.merge_key) == Some(key)) {
            Some(place) => {
                if let Value::Object(there) = place.take() {
                    *place = Value::Object(merge_map(rule.of, there, item.clone())?);
                }
            }
            None => merged.push(Value::Object(item.clone())),
        }
    }
    sorted(merged, &plain, &old, rule.merge_key)
}

/// Puts items in order: those that `order` names in that order, the others as they were on the server, and both kinds
/// together in a way that keeps as much of the server's order as there is.
fn sorted(
    items: Vec<Value>,
    order: &[Value],
    before: &[Value],
    merge_key: &str,
) -> Result<Vec<Value>, ApiError> {
    let identity = |item: &Value| -> Result<Value, ApiError> {
        match item {
            Value::Object(members) if !merge_key.is_empty() => key_of(members, merge_key).cloned(),
            other => Ok(other.clone()),
        }
    };
    let order = order.iter().map(identity).collect::<Result<Vec<_>, _>>()?;
    let before = before.iter().map(identity).collect::<Result<Vec<_>, _>>()?;
    let place = |list: &[Value], key: &Value| list.iter().position(|other| other == key);
    let mut named = Vec::new();
    let mut others = Vec::new();
    for item in items {
        let key = identity(&item)?;
        match place(&order, &key) {
            Some(rank) => named.push((Some(rank), place(&before, &key), item)),
            None => {
                let rank = place(&before, &key);
                others.push((rank, rank, item));
            }
        }
    }
    insertion_sort(&mut named);
    insertion_sort(&mut others);
    let mut all = Vec::with_capacity(named.len() + others.len());
    let mut named = named.into_iter().peekable();
    let mut others = others.into_iter().peekable();
    loop {
        let takes_other = match (others.peek(), named.peek()) {
            (None, None) => return Ok(all),
            (Some((_, Some(other), _)), Some((_, Some(named), _))) => other < named,
            (_, Some(_)) => false,
            (Some(_), None) => true,
        };
        let next = if takes_other { others.next() } else { named.next() };
        all.extend(next.map(|(_, _, item)| item));
    }
}

/// Sorts by rank. An item without a rank goes before all that are there already, as in Go, where the comparison that is
/// used says of two such items that each is the smaller one.
fn insertion_sort(items: &mut [(Option<usize>, Option<usize>, Value)]) {
    for end in 1..items.len() {
        for at in (1..=end).rev() {
            let is_smaller = match (items[at].0, items[at - 1].0) {
                (Some(this), Some(before)) => this < before,
                _ => true,
            };
            if !is_smaller {
                break;
            }
            items.swap(at, at - 1);
        }
    }
}

/// The items of a patch must be among those of the order, and in that order.
fn check_order(change: &[Value], order: &[Value], merge_key: &str) -> Result<(), ApiError> {
    if change.is_empty() || order.is_empty() {
        return Ok(());
    }
    let is_kept =
        |item: &&Value| merge_key.is_empty() || item.get(DIRECTIVE).is_none_or(|what| what != "delete");
    let mut items = change.iter().filter(is_kept).peekable();
    let mut rest = order.iter().peekable();
    while let (Some(item), Some(next)) = (items.peek(), rest.peek()) {
        let is_special = item.get(DIRECTIVE).is_some();
        let is_same = match (item, next) {
            _ if is_special => false,
            (Value::Object(item), Value::Object(next)) if !merge_key.is_empty() => {
                key_of(item, merge_key)? == key_of(next, merge_key)?
            }
            (item, next) => item == next,
        };
        if is_special || is_same {
            items.next();
        }
        if !is_special {
            rest.next();
        }
    }
    // Sic: a directive after the last item of the order is one item too many.
    if items.peek().is_some() {
        let change = go::printed(&change.into());
        let order = go::printed(&order.into());
        return Err(ApiError::internal(format!(
            "The order in patch list:\n{change}\n doesn't match {ORDER} list:\n{order}\n"
        )));
    }
    Ok(())
}

/// The value that identifies an item.
fn key_of<'a>(item: &'a Object, merge_key: &str) -> Result<&'a Value, ApiError> {
    item.get(merge_key).ok_or_else(|| {
        let item = go::printed_map(item);
        ApiError::internal(format!("map: {item} does not contain declared merge key: {merge_key}"))
    })
}

/// One of the items of both lists, which must all be of one type; `None` if there are none.
fn element<'a>(old: &'a [Value], change: &'a [Value]) -> Result<Option<&'a Value>, ApiError> {
    let mut all = old.iter().chain(change);
    let Some(first) = all.next() else { return Ok(None) };
    if first.is_array() {
        return Err(ApiError::rejected());
    }
    if all.any(|item| discriminant(item) != discriminant(first)) {
        let old = go::printed(&old.into());
        let change = go::printed(&change.into());
        let why = "list element types are not identical";
        return Err(ApiError::internal(format!("{why}: [{old} {change}]")));
    }
    Ok(Some(first))
}

fn into_list(value: Value) -> Result<Vec<Value>, ApiError> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(ApiError::internal(format!(
            "expected a []interface {{}}, but received a {}",
            go::dynamic_type(&other)
        ))),
    }
}

//! Faults in objects, in events and lists.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;

/// An event whose object cannot be decoded.
pub(super) fn undecodable_event(line: &[u8]) -> Bytes {
    let Ok(mut event) = serde_json::from_slice::<Value>(line) else { return Bytes::copy_from_slice(line) };
    spoil(&mut event["object"]);
    format!("{event}\n").into()
}

/// An event whose JSON is cut off, followed by a newline as usual.
pub(super) fn broken_event(line: &[u8]) -> Bytes {
    [&line[..line.len() / 2], b"\n"].concat().into()
}

/// A list whose nth item cannot be decoded, or a single object that cannot be decoded; `None` if there is no nth item.
pub(super) fn undecodable(text: &[u8], n: u64) -> Option<Bytes> {
    let mut list: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(text).ok()?;
    let Some(items) = list.get("items") else {
        let mut object = serde_json::from_slice::<Value>(text).ok()?;
        spoil(&mut object);
        return Some(format!("{object}\n").into());
    };
    let mut items: Vec<Box<RawValue>> = serde_json::from_str(items.get()).ok()?;
    let item = items.get_mut(usize::try_from(n.checked_sub(1)?).ok()?)?;
    let mut object: Value = serde_json::from_str(item.get()).ok()?;
    spoil(&mut object);
    *item = serde_json::value::to_raw_value(&object).ok()?;
    list.insert("items".to_owned(), serde_json::value::to_raw_value(&items).ok()?);
    let mut text = serde_json::to_vec(&list).ok()?;
    text.push(b'\n');
    Some(text.into())
}

fn spoil(object: &mut Value) {
    object["metadata"]["labels"] = 17.into();
}

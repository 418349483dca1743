//! What the caches hold, without the contents: keys, uids, versions and digests of objects.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

use kube_informer::{Object, SharedInformer};
use serde_json::{Value, json};

/// The path of the page with all informers. That of an informer's objects follows with its name, `/` and the key after which
/// the page begins, both percent-encoded.
pub(crate) const PATH: &str = "/debug/digests";

/// Objects on a page. One takes some microseconds, and a request is answered in one go.
const PAGE: usize = 1_000;

/// An informer whose objects [`Endpoint::digests`](crate::Endpoint::digests) tells of.
#[derive(Clone)]
pub struct Digested(SharedInformer<()>);

impl Digested {
    /// Of any kind.
    pub fn new<K: 'static>(informer: &SharedInformer<K>) -> Self {
        Self(informer.as_kind())
    }
}

impl fmt::Debug for Digested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Digested").field(&self.0.name()).finish()
    }
}

/// The digest of an object's JSON: the first 16 bytes of SHA-256, in hexadecimal, of the JSON with sorted members, without blanks and
/// without `kind`, `apiVersion`, which items of lists lack, and `metadata.managedFields`. `None` if it is not an object.
pub fn digest(json: &[u8]) -> Option<String> {
    let mut object: Value = serde_json::from_slice(json).ok()?;
    let members = object.as_object_mut()?;
    members.remove("kind");
    members.remove("apiVersion");
    if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let hash = ring::digest::digest(&ring::digest::SHA256, &serde_json::to_vec(&object).ok()?);
    let mut text = String::with_capacity(32);
    for byte in &hash.as_ref()[..16] {
        write!(text, "{byte:02x}").ok()?;
    }
    Some(text)
}

/// The answer for what follows [`PATH`]; `None` if there is no such informer.
pub(crate) fn answer(informers: &[Digested], rest: &str) -> Option<String> {
    let Some(rest) = rest.strip_prefix('/').filter(|rest| !rest.is_empty()) else {
        let informers: Vec<_> = informers.iter().map(|Digested(informer)| about(informer)).collect();
        return Some(format!("{:#}\n", json!({ "informers": informers })));
    };
    let (name, after) = rest.split_once('/').unwrap_or((rest, ""));
    let (name, after) = (decoded(name)?, decoded(after)?);
    let Digested(informer) = informers.iter().find(|Digested(informer)| informer.name() == name)?;
    Some(format!("{}\n", page(informer, &after)))
}

fn about(informer: &SharedInformer<()>) -> Value {
    let status = informer.status();
    let why = match () {
        () if status.sensitive => Some("the kind is sensitive"),
        () if status.altered => Some("the program does not keep whole objects as the server has them"),
        () => None,
    };
    json!({
        "name": status.name,
        "group": status.kind.group(),
        "version": status.kind.version(),
        "kind": status.kind.kind(),
        "plural": status.kind.plural(),
        "namespaces": informer.namespaces(),
        "synced": status.synced,
        "stopped": status.stopped,
        "objects": status.objects,
        "digests": why.is_none(),
        "noDigestsBecause": why,
    })
}

/// The objects after a key, in the order of keys, which are compared as texts.
fn page(informer: &SharedInformer<()>, after: &str) -> Value {
    let mut about = about(informer);
    let with_digests = about["digests"] == true;
    let (objects, more) = first_after(informer, after);
    about["next"] = objects.last_key_value().filter(|_| more).map(|(key, _)| key.as_str()).into();
    about["items"] = objects
        .iter()
        .map(|(key, object)| {
            let digest = if with_digests { digest(&object.raw_json()) } else { None };
            json!({ "key": key, "uid": object.uid().to_string(), "resourceVersion": object.resource_version().to_string(),
                "digest": digest })
        })
        .collect();
    about
}

/// The first objects after a key, and whether there are more. Every page costs a look at all keys, so nothing is allocated for
/// those that are not on it.
fn first_after(informer: &SharedInformer<()>, after: &str) -> (BTreeMap<String, Object<()>>, bool) {
    let (mut first, mut more): (BTreeMap<String, _>, _) = (BTreeMap::new(), false);
    let mut key = String::new();
    for object in informer.lister().scan() {
        key.clear();
        if let Some(namespace) = object.namespace() {
            key.push_str(namespace);
            key.push('/');
        }
        key.push_str(object.name());
        if key.as_str() <= after {
            continue;
        }
        if first.len() == PAGE {
            more = true;
            if first.last_key_value().is_some_and(|(last, _)| *last < key) {
                continue;
            }
            first.pop_last();
        }
        first.insert(key.clone(), object);
    }
    (first, more)
}

/// Percent-decodes; `None` if it is not valid.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (code, tail) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;

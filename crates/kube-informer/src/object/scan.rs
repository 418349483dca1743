//! One pass over the JSON of an object: checks all of it, reads out its metadata, decodes nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::object::walk::{Parts, skip_space};

/// What one pass reads out of an object. Borrows from its JSON wherever a text has no escapes.
#[derive(Debug, Default)]
pub(crate) struct Metadata<'a> {
    /// Empty if missing.
    pub(crate) api_version: Cow<'a, str>,
    /// Empty if missing.
    pub(crate) kind: Cow<'a, str>,
    /// Whether `apiVersion` or `kind` are spelled out as null or empty, so that adding them would make a duplicate.
    pub(crate) blank_type: bool,
    pub(crate) name: Cow<'a, str>,
    pub(crate) namespace: Cow<'a, str>,
    pub(crate) uid: Cow<'a, str>,
    pub(crate) resource_version: Cow<'a, str>,
    pub(crate) generation: Option<i64>,
    pub(crate) created: Option<i64>,
    pub(crate) deleted: Option<i64>,
    /// Sorted by key, each key once.
    pub(crate) labels: Vec<Pair<'a>>,
    pub(crate) owners: Vec<Owner<'a>>,
    pub(crate) finalizers: Vec<Cow<'a, str>>,
    /// Where the values of `metadata.managedFields` stand; several only if the key is repeated.
    pub(crate) managed_fields: Vec<Range<usize>>,
}

/// An owner reference, not interned yet.
#[derive(Debug, Default)]
pub(crate) struct Owner<'a> {
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) uid: Cow<'a, str>,
    pub(crate) controller: bool,
    pub(crate) block_owner_deletion: bool,
}

/// Why a document gave no metadata.
#[derive(Debug)]
pub(crate) enum ScanError {
    /// The bytes are not JSON.
    NotJson(String),
    /// They are JSON, but not an object of Kubernetes. Says what is wrong and quotes nothing.
    Odd(String),
}

/// Reads the metadata of an object and checks the whole document to be JSON.
///
/// Of a repeated key the last wins, and null counts as missing, everywhere.
pub(crate) fn scan(json: &[u8]) -> Result<Metadata<'_>, ScanError> {
    let odd = match scan_first(json) {
        Ok((metadata, end)) if skip_space(json, end) == json.len() => return Ok(metadata),
        Ok(_) | Err(Stop::Broken) => None,
        Err(Stop::Odd(message)) => Some(message),
    };
    // Whatever was disliked, the question is whether the document is JSON at all.
    let text = std::str::from_utf8(json).map_err(|error| ScanError::NotJson(error.to_string()))?;
    match (serde_json::from_str::<IgnoredAny>(text), odd) {
        (Err(error), _) => Err(ScanError::NotJson(position(&error))),
        (Ok(_), Some(message)) => Err(ScanError::Odd(message)),
        (Ok(_), None) => Err(ScanError::NotJson("not JSON".to_owned())),
    }
}

/// The same for the object at the beginning of some bytes, and where it ends.
pub(crate) fn scan_first(json: &[u8]) -> Result<(Metadata<'_>, usize), Stop> {
    let start = skip_space(json, 0);
    let mut metadata = Metadata::default();
    let end = members(json, start, "it", |key, parts| {
        match key {
            "apiVersion" => {
                metadata.api_version = text(parts, "apiVersion")?;
                metadata.blank_type |= metadata.api_version.is_empty();
            }
            "kind" => {
                metadata.kind = text(parts, "kind")?;
                metadata.blank_type |= metadata.kind.is_empty();
            }
            "metadata" => metadata.read(json, parts)?,
            _ => drop(value(parts)?),
        }
        Ok(())
    })?;
    // Texts that were only stepped over have not been looked at. Nearly all objects are ASCII, which is seen sooner.
    let object = json.get(start..end).unwrap_or_default();
    if object.is_ascii() || std::str::from_utf8(object).is_ok() {
        Ok((metadata, end))
    } else {
        Err(Stop::Broken)
    }
}

/// Why a scan went no further.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Not JSON, or it ends too early.
    Broken,
    /// Not of the expected form, be it JSON or not.
    Odd(String),
}

/// Name and namespace of an object whose metadata is odd in other places.
pub(crate) fn rough_key(json: &[u8]) -> Option<(String, String)> {
    fn read<'a, T: Deserialize<'a>>(members: &BTreeMap<String, &'a RawValue>, key: &str) -> Option<T> {
        serde_json::from_str(members.get(key)?.get()).ok()
    }
    let top: BTreeMap<String, &RawValue> = serde_json::from_slice(json).ok()?;
    let metadata: BTreeMap<String, &RawValue> = read(&top, "metadata")?;
    let name: String = read(&metadata, "name").filter(|name: &String| !name.is_empty())?;
    Some((read(&metadata, "namespace").unwrap_or_default(), name))
}

/// What serde said, without the parts that may quote the document.
pub(crate) fn position(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Io => "cannot be read",
        Category::Syntax => "not JSON",
        Category::Data => "not of the expected form",
        Category::Eof => "ends too early",
    };
    format!("{what} at line {} column {}", error.line(), error.column())
}

impl<'a> Metadata<'a> {
    /// Reads `metadata`. What an earlier one of the same document said counts no longer, but its managedFields are cut
    /// as well.
    fn read(&mut self, json: &'a [u8], parts: &mut Parts<'a>) -> Result<(), Stop> {
        *self = Metadata {
            api_version: std::mem::take(&mut self.api_version),
            kind: std::mem::take(&mut self.kind),
            blank_type: self.blank_type,
            managed_fields: std::mem::take(&mut self.managed_fields),
            ..Metadata::default()
        };
        if is_null(json, parts.place()) {
            return value(parts).map(drop);
        }
        let end = members(json, parts.place(), "metadata", |key, parts| self.field(json, key, parts))?;
        parts.go_to(end);
        Ok(())
    }

    fn field(&mut self, json: &'a [u8], key: &str, parts: &mut Parts<'a>) -> Result<(), Stop> {
        match key {
            "name" => self.name = text(parts, "metadata.name")?,
            "namespace" => self.namespace = text(parts, "metadata.namespace")?,
            "uid" => self.uid = text(parts, "metadata.uid")?,
            "resourceVersion" => self.resource_version = text(parts, "metadata.resourceVersion")?,
            "generation" => {
                self.generation = serde_json::from_slice(value(parts)?)
                    .map_err(|_| Stop::Odd("metadata.generation is not a whole number".to_owned()))?;
            }
            "creationTimestamp" => self.created = seconds(parts, "metadata.creationTimestamp")?,
            "deletionTimestamp" => self.deleted = seconds(parts, "metadata.deletionTimestamp")?,
            "labels" => self.labels = labels(json, parts)?,
            "ownerReferences" => self.owners = owners(json, parts)?,
            "finalizers" => self.finalizers = finalizers(json, parts)?,
            "managedFields" => {
                let start = parts.place();
                value(parts)?;
                self.managed_fields.push(start..parts.place());
            }
            _ => drop(value(parts)?),
        }
        Ok(())
    }
}

/// Goes through the members of the object at `at` and says where it ends. `read` has to step over every value.
fn members<'a>(
    json: &'a [u8],
    at: usize,
    what: &str,
    mut read: impl FnMut(&str, &mut Parts<'a>) -> Result<(), Stop>,
) -> Result<usize, Stop> {
    if json.get(at) != Some(&b'{') {
        return Err(Stop::Odd(format!("{what} is not an object")));
    }
    let mut parts = Parts::of(json, at).ok_or(Stop::Broken)?;
    while let Some(key) = parts.next().ok_or(Stop::Broken)? {
        let key = decode(key).ok_or_else(|| Stop::Odd(format!("a key of {what} is not a text")))?;
        read(&key, &mut parts)?;
    }
    Ok(parts.place())
}

/// Goes through the elements of the next value, which is a list or null, except for those that are null.
fn elements<'a>(
    json: &'a [u8],
    parts: &mut Parts<'a>,
    what: &str,
    mut read: impl FnMut(&mut Parts<'a>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let at = parts.place();
    if is_null(json, at) {
        return value(parts).map(drop);
    }
    if json.get(at) != Some(&b'[') {
        return Err(Stop::Odd(format!("{what} is not a list")));
    }
    let mut elements = Parts::of(json, at).ok_or(Stop::Broken)?;
    while elements.next().ok_or(Stop::Broken)?.is_some() {
        if is_null(json, elements.place()) {
            value(&mut elements)?;
        } else {
            read(&mut elements)?;
        }
    }
    parts.go_to(elements.place());
    Ok(())
}

/// Key and value of a label.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Labels, sorted by key; the last of equal keys wins.
fn labels<'a>(json: &'a [u8], parts: &mut Parts<'a>) -> Result<Vec<Pair<'a>>, Stop> {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    let at = parts.place();
    if is_null(json, at) {
        return value(parts).map(|_| pairs);
    }
    let odd = || Stop::Odd("metadata.labels is not an object of texts".to_owned());
    let mut labels = Parts::of(json, at).filter(|_| json.get(at) == Some(&b'{')).ok_or_else(odd)?;
    while let Some(key) = labels.next().ok_or(Stop::Broken)? {
        pairs.push((decode(key).ok_or_else(odd)?, text(&mut labels, "the value of a label")?));
    }
    parts.go_to(labels.place());
    // The server sends them sorted.
    if !pairs.is_sorted_by(|a, b| a.0 < b.0) {
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        // `dedup_by` hands the later one first; moving its value into the earlier slot makes the last win.
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = std::mem::take(&mut later.1);
            }
            same
        });
    }
    Ok(pairs)
}

fn owners<'a>(json: &'a [u8], parts: &mut Parts<'a>) -> Result<Vec<Owner<'a>>, Stop> {
    let mut owners = Vec::new();
    elements(json, parts, "metadata.ownerReferences", |elements| {
        let mut owner = Owner::default();
        let end = members(json, elements.place(), "an owner reference", |key, parts| {
            match key {
                "apiVersion" => owner.api_version = text(parts, "apiVersion of an owner")?,
                "kind" => owner.kind = text(parts, "kind of an owner")?,
                "name" => owner.name = text(parts, "name of an owner")?,
                "uid" => owner.uid = text(parts, "uid of an owner")?,
                "controller" => owner.controller = truth(parts, "controller of an owner")?,
                "blockOwnerDeletion" => {
                    owner.block_owner_deletion = truth(parts, "blockOwnerDeletion of an owner")?;
                }
                _ => drop(value(parts)?),
            }
            Ok(())
        })?;
        elements.go_to(end);
        owners.push(owner);
        Ok(())
    })?;
    Ok(owners)
}

fn finalizers<'a>(json: &'a [u8], parts: &mut Parts<'a>) -> Result<Vec<Cow<'a, str>>, Stop> {
    let mut finalizers = Vec::new();
    elements(json, parts, "metadata.finalizers", |elements| {
        finalizers.push(text(elements, "a finalizer")?);
        Ok(())
    })?;
    Ok(finalizers)
}

fn value<'a>(parts: &mut Parts<'a>) -> Result<&'a [u8], Stop> {
    parts.value().ok_or(Stop::Broken)
}

fn is_null(json: &[u8], at: usize) -> bool {
    json.get(at) == Some(&b'n')
}

/// The next value, a text or null, which is the empty text.
fn text<'a>(parts: &mut Parts<'a>, what: &str) -> Result<Cow<'a, str>, Stop> {
    match value(parts)? {
        b"null" => Ok(Cow::Borrowed("")),
        raw => decode(raw).ok_or_else(|| Stop::Odd(format!("{what} is not a text"))),
    }
}

fn truth(parts: &mut Parts<'_>, what: &str) -> Result<bool, Stop> {
    match value(parts)? {
        b"true" => Ok(true),
        b"false" | b"null" => Ok(false),
        _ => Err(Stop::Odd(format!("{what} is neither true nor false"))),
    }
}

fn seconds(parts: &mut Parts<'_>, what: &str) -> Result<Option<i64>, Stop> {
    let raw = value(parts)?;
    if raw == b"null" {
        return Ok(None);
    }
    let time = decode(raw).and_then(|text| text.parse::<Timestamp>().ok());
    match time {
        Some(time) => Ok(Some(time.as_second())),
        None => Err(Stop::Odd(format!("{what} is not a time as RFC 3339 writes it"))),
    }
}

/// A text, borrowed unless it has escapes; `None` if it is something else.
pub(crate) fn decode(raw: &[u8]) -> Option<Cow<'_, str>> {
    match raw {
        [b'"', plain @ .., b'"'] if !plain.contains(&b'\\') => {
            std::str::from_utf8(plain).ok().map(Cow::Borrowed)
        }
        [b'"', ..] => serde_json::from_slice(raw).ok().map(Cow::Owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

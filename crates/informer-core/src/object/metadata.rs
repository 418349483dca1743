//! One pass over the JSON of an object: checks all of it, reads out its metadata, decodes nothing else.
//!
//! How JSON is walked is a matter of [`json`](informer_wire::json). Here is what the members of an object mean.

use std::borrow::Cow;
use std::ops::Range;

use informer_wire::json::{self, Members, decode_string, last_member, skip_space};
use jiff::Timestamp;

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
    pub(crate) labels: Vec<LabelPair<'a>>,
    pub(crate) owners: Vec<Owner<'a>>,
    pub(crate) finalizers: Vec<Cow<'a, str>>,
    /// Where `metadata.managedFields` stands, from its key to the end of its value; several only if the key is repeated.
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
        Ok(_) | Err(ScanStop::Broken) => None,
        Err(ScanStop::Odd(message)) => Some(message),
    };
    // A scan that stops early has not seen the rest. Only a document that is JSON can be left out alone; one that is not
    // spoils the whole list or stream.
    json::check(json).map_err(|malformed| ScanError::NotJson(malformed.to_string()))?;
    Err(match odd {
        Some(message) => ScanError::Odd(message),
        None => ScanError::NotJson("not JSON".to_owned()),
    })
}

/// The same for the object at the beginning of some bytes, and where it ends.
pub(crate) fn scan_first(json: &[u8]) -> Result<(Metadata<'_>, usize), ScanStop> {
    let start = skip_space(json, 0);
    let mut metadata = Metadata::default();
    let members = Members::of_object(json, start);
    let end = each_member(members, "it", |key, members| {
        match key {
            "apiVersion" => {
                metadata.api_version = text(members, "apiVersion")?;
                metadata.blank_type |= metadata.api_version.is_empty();
            }
            "kind" => {
                metadata.kind = text(members, "kind")?;
                metadata.blank_type |= metadata.kind.is_empty();
            }
            "metadata" => metadata.read(members)?,
            _ => drop(value(members)?),
        }
        Ok(())
    })?;
    // The walk does not check the encoding of strings. Nearly all objects are ASCII, which is quicker to see than UTF-8.
    let object = json.get(start..end).unwrap_or_default();
    if object.is_ascii() || std::str::from_utf8(object).is_ok() {
        Ok((metadata, end))
    } else {
        Err(ScanStop::Broken)
    }
}

/// Why a scan went no further.
#[derive(Debug)]
pub(crate) enum ScanStop {
    /// Not JSON, or it ends too early.
    Broken,
    /// Not of the expected form. It may or may not be valid JSON.
    Odd(String),
}

/// What can be read of an object whose metadata is odd in other places.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RoughKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Empty if there is none that can be read.
    pub(crate) resource_version: String,
}

/// Which object this is, though its metadata is odd; `None` if not even its name can be read.
pub(crate) fn rough_key(json: &[u8]) -> Option<RoughKey> {
    let metadata = last_member(json, "metadata")?;
    let text =
        |key| last_member(metadata, key).and_then(decode_string).map(Cow::into_owned).unwrap_or_default();
    let name = Some(text("name")).filter(|name| !name.is_empty())?;
    Some(RoughKey { namespace: text("namespace"), name, resource_version: text("resourceVersion") })
}

impl<'a> Metadata<'a> {
    /// Reads `metadata`. Should it stand in the document twice, the last one counts; the managedFields of both are cut.
    fn read(&mut self, members: &mut Members<'a>) -> Result<(), ScanStop> {
        *self = Metadata {
            api_version: std::mem::take(&mut self.api_version),
            kind: std::mem::take(&mut self.kind),
            blank_type: self.blank_type,
            managed_fields: std::mem::take(&mut self.managed_fields),
            ..Metadata::default()
        };
        if members.is_null() {
            return value(members).map(drop);
        }
        let end = each_member(members.object(), "metadata", |key, members| self.field(key, members))?;
        members.skip_to(end);
        Ok(())
    }

    fn field(&mut self, key: &str, members: &mut Members<'a>) -> Result<(), ScanStop> {
        match key {
            "name" => self.name = text(members, "metadata.name")?,
            "namespace" => self.namespace = text(members, "metadata.namespace")?,
            "uid" => self.uid = text(members, "metadata.uid")?,
            "resourceVersion" => self.resource_version = text(members, "metadata.resourceVersion")?,
            "generation" => {
                self.generation = serde_json::from_slice(value(members)?)
                    .map_err(|_| ScanStop::Odd("metadata.generation is not a whole number".to_owned()))?;
            }
            "creationTimestamp" => self.created = seconds(members, "metadata.creationTimestamp")?,
            "deletionTimestamp" => self.deleted = seconds(members, "metadata.deletionTimestamp")?,
            "labels" => self.labels = labels(members)?,
            "ownerReferences" => self.owners = owners(members)?,
            "finalizers" => self.finalizers = finalizers(members)?,
            "managedFields" => {
                let start = members.start();
                value(members)?;
                self.managed_fields.push(start..members.at());
            }
            _ => drop(value(members)?),
        }
        Ok(())
    }
}

/// Goes over the members of an object and says where it ends. `read` has to step over every value. `None` is a value that
/// is no object.
fn each_member<'a>(
    members: Option<Members<'a>>,
    what: &str,
    mut read: impl FnMut(&str, &mut Members<'a>) -> Result<(), ScanStop>,
) -> Result<usize, ScanStop> {
    let mut members = members.ok_or_else(|| ScanStop::Odd(format!("{what} is not an object")))?;
    while let Some(key) = members.next().ok_or(ScanStop::Broken)? {
        let key =
            decode_string(key).ok_or_else(|| ScanStop::Odd(format!("a key of {what} is not a text")))?;
        read(&key, &mut members)?;
    }
    Ok(members.at())
}

/// Goes over the elements of the next value, which is an array or null, except for those that are null.
fn each_element<'a>(
    members: &mut Members<'a>,
    what: &str,
    mut read: impl FnMut(&mut Members<'a>) -> Result<(), ScanStop>,
) -> Result<(), ScanStop> {
    if members.is_null() {
        return value(members).map(drop);
    }
    let mut elements = members.array().ok_or_else(|| ScanStop::Odd(format!("{what} is not a list")))?;
    while elements.next().ok_or(ScanStop::Broken)?.is_some() {
        if elements.is_null() {
            value(&mut elements)?;
        } else {
            read(&mut elements)?;
        }
    }
    members.skip_to(elements.at());
    Ok(())
}

/// Key and value of a label, not interned yet.
type LabelPair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Labels, sorted by key; the last of equal keys wins.
fn labels<'a>(members: &mut Members<'a>) -> Result<Vec<LabelPair<'a>>, ScanStop> {
    let mut pairs: Vec<LabelPair<'a>> = Vec::new();
    if members.is_null() {
        return value(members).map(|_| pairs);
    }
    let odd = || ScanStop::Odd("metadata.labels is not an object of texts".to_owned());
    let mut labels = members.object().ok_or_else(odd)?;
    while let Some(key) = labels.next().ok_or(ScanStop::Broken)? {
        pairs.push((decode_string(key).ok_or_else(odd)?, text(&mut labels, "the value of a label")?));
    }
    members.skip_to(labels.at());
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

fn owners<'a>(members: &mut Members<'a>) -> Result<Vec<Owner<'a>>, ScanStop> {
    let mut owners = Vec::new();
    each_element(members, "metadata.ownerReferences", |elements| {
        let mut owner = Owner::default();
        let end = each_member(elements.object(), "an owner reference", |key, members| {
            match key {
                "apiVersion" => owner.api_version = text(members, "apiVersion of an owner")?,
                "kind" => owner.kind = text(members, "kind of an owner")?,
                "name" => owner.name = text(members, "name of an owner")?,
                "uid" => owner.uid = text(members, "uid of an owner")?,
                "controller" => owner.controller = truth(members, "controller of an owner")?,
                "blockOwnerDeletion" => {
                    owner.block_owner_deletion = truth(members, "blockOwnerDeletion of an owner")?;
                }
                _ => drop(value(members)?),
            }
            Ok(())
        })?;
        elements.skip_to(end);
        owners.push(owner);
        Ok(())
    })?;
    Ok(owners)
}

fn finalizers<'a>(members: &mut Members<'a>) -> Result<Vec<Cow<'a, str>>, ScanStop> {
    let mut finalizers = Vec::new();
    each_element(members, "metadata.finalizers", |elements| {
        finalizers.push(text(elements, "a finalizer")?);
        Ok(())
    })?;
    Ok(finalizers)
}

fn value<'a>(members: &mut Members<'a>) -> Result<&'a [u8], ScanStop> {
    members.value().ok_or(ScanStop::Broken)
}

/// The next value, a string or null, which is the empty text.
fn text<'a>(members: &mut Members<'a>, what: &str) -> Result<Cow<'a, str>, ScanStop> {
    match value(members)? {
        b"null" => Ok(Cow::Borrowed("")),
        raw => decode_string(raw).ok_or_else(|| ScanStop::Odd(format!("{what} is not a text"))),
    }
}

fn truth(members: &mut Members<'_>, what: &str) -> Result<bool, ScanStop> {
    match value(members)? {
        b"true" => Ok(true),
        b"false" | b"null" => Ok(false),
        _ => Err(ScanStop::Odd(format!("{what} is neither true nor false"))),
    }
}

fn seconds(members: &mut Members<'_>, what: &str) -> Result<Option<i64>, ScanStop> {
    let raw = value(members)?;
    if raw == b"null" {
        return Ok(None);
    }
    let time = decode_string(raw).and_then(|text| text.parse::<Timestamp>().ok());
    match time {
        Some(time) => Ok(Some(time.as_second())),
        None => Err(ScanStop::Odd(format!("{what} is not a time as RFC 3339 writes it"))),
    }
}

#[cfg(test)]
mod tests;

//! Watch events: frame → what happened.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use informer_wire::framing::{Frame, Frames, OnePass, StreamError};
use informer_wire::json::{self, decode_string, last_member};
use informer_wire::{ObjectKey, ResourceVersion, Status};
use serde_json::Value;

use informer_core::object::ingest::{Ingest, IngestError};
use informer_core::object::known::{Before, Known};
use informer_core::object::record::Record;

/// One event of a watch.
#[derive(Debug)]
pub(crate) enum WatchItem {
    /// An object changed.
    Object { change: ChangeType, record: Arc<Record> },
    /// An object changed but cannot be taken in. That is its problem alone, the watch goes on.
    LeftOut {
        key: Option<ObjectKey>,
        /// Empty if it cannot be read.
        version: ResourceVersion,
        message: String,
    },
    /// Nothing up to this version has been missed.
    Bookmark { version: ResourceVersion, initial_events_end: bool },
    /// The server reports an error; the stream ends with it.
    Error(Status),
    /// An event that means nothing to us: an unknown type, a bookmark without a version.
    Ignored { event_type: String },
}

/// How an object changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeType {
    Added,
    Modified,
    Deleted,
}

/// How servers write the beginning of an event that carries an object.
const PLAIN: [(&[u8], ChangeType); 3] = [
    (br#"{"type":"MODIFIED","object":"#, ChangeType::Modified),
    (br#"{"type":"ADDED","object":"#, ChangeType::Added),
    (br#"{"type":"DELETED","object":"#, ChangeType::Deleted),
];

/// The annotation of the bookmark that ends the initial events of a streaming list.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// Reads the body of a watch.
#[derive(Debug)]
pub(crate) struct WatchDecoder {
    frames: Frames,
    /// Whether the initial events of a streaming list are being read.
    initial: bool,
    failed: Option<StreamError>,
}

impl WatchDecoder {
    /// With a limit for the size of one event. `initial_events` says that the current state was asked for first.
    pub(crate) fn new(limit: usize, initial_events: bool) -> Self {
        Self { frames: Frames::new(limit), initial: initial_events, failed: None }
    }

    /// Takes in the next chunk. The events of the last one should have been read.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.frames.push(chunk);
    }

    /// The next event; `None` if more bytes are needed. After an error nothing comes.
    ///
    /// What is known stands in for initial events only: a later event is sent because the object has changed.
    pub(crate) fn next(
        &mut self,
        ingest: &Ingest,
        known: &dyn Known,
    ) -> Option<Result<WatchItem, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        let before = Before(known);
        let known = if self.initial { known } else { &before };
        match self.frames.one_pass(is_plain, |event| plain(event, ingest, known)) {
            OnePass::Read(item) => return Some(Ok(item)),
            OnePass::More => return None,
            OnePass::Refused(_) => {}
        }
        let item = self.frames.next_frame()?.and_then(|frame| decode(&frame, ingest, known));
        match &item {
            Ok(WatchItem::Bookmark { initial_events_end: true, .. }) => self.initial = false,
            Ok(_) => {}
            Err(error) => self.failed = Some(error.clone()),
        }
        Some(item)
    }

    /// The body has ended. Says whether something was held back that is to be read now.
    pub(crate) fn end_of_body(&mut self) -> bool {
        self.frames.end_of_body()
    }

    /// All has been read. An error if the body ended in the middle of an event.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => self.frames.finish(),
        }
    }
}

/// An event that is written as servers write it, and how long it is: one pass over its bytes splits it off, checks it and reads
/// its metadata. After `None` nothing has been done.
fn plain(event: &[u8], ingest: &Ingest, known: &dyn Known) -> Option<(WatchItem, usize)> {
    let (change, object) =
        PLAIN.iter().find_map(|(start, change)| Some((*change, event.strip_prefix(*start)?)))?;
    let (taken, end) = ingest.take_first(object, known, |rest| rest.first() == Some(&b'}'))?;
    Some((changed(change, taken).ok()?, event.len() - object.len() + end + 1))
}

/// Whether this is the beginning of such an event.
fn is_plain(event: &[u8]) -> bool {
    PLAIN.iter().any(|(start, _)| event.starts_with(start))
}

fn decode(frame: &Frame<'_>, ingest: &Ingest, known: &dyn Known) -> Result<WatchItem, StreamError> {
    let (event_type, object) = (frame.get("type"), frame.get("object"));
    for (key, value) in frame.iter() {
        // Members that are not read below have to be JSON all the same.
        let read = [event_type, object].into_iter().flatten().any(|read| std::ptr::eq(read, value));
        if !read {
            json::check(key)?;
            json::check(value)?;
        }
    }
    let Some(event_type) = event_type else { return without_type(frame) };
    let event_type = type_of(event_type)?;
    let change = match &*event_type {
        "ADDED" => ChangeType::Added,
        "MODIFIED" => ChangeType::Modified,
        "DELETED" => ChangeType::Deleted,
        _ => return special(event_type.into_owned(), object.unwrap_or(b"null")),
    };
    let Some(object) = object else {
        let message = "the event has no object".to_owned();
        return Ok(WatchItem::LeftOut { key: None, version: ResourceVersion::empty(), message });
    };
    changed(change, ingest.take(object, known))
}

/// The type of an event, which may be written with escapes. A type that is no string is given as its JSON.
fn type_of(json: &[u8]) -> Result<Cow<'_, str>, StreamError> {
    match json {
        // The common ones need no parser.
        br#""ADDED""# => Ok("ADDED".into()),
        br#""MODIFIED""# => Ok("MODIFIED".into()),
        br#""DELETED""# => Ok("DELETED".into()),
        _ if json.starts_with(b"\"") => Ok(Cow::Owned(serde_json::from_slice(json)?)),
        _ => {
            json::check(json)?;
            Ok(String::from_utf8_lossy(json))
        }
    }
}

fn changed(change: ChangeType, taken: Result<Arc<Record>, IngestError>) -> Result<WatchItem, StreamError> {
    match taken {
        Ok(record) => Ok(WatchItem::Object { change, record }),
        Err(IngestError::LeftOut { key, version, message }) => {
            Ok(WatchItem::LeftOut { key, version, message })
        }
        Err(IngestError::NotJson(message)) => Err(StreamError::NotJson(message)),
    }
}

/// Events that carry no object to take in.
///
/// Only single members of their content are read, and not into a type: bookmarks have null where objects must not
/// (P-052), and brackets may be nested deeper than serde_json reads.
fn special(event_type: String, object: &[u8]) -> Result<WatchItem, StreamError> {
    json::check(object)?;
    match event_type.as_str() {
        "ERROR" => Ok(WatchItem::Error(failure(object))),
        "BOOKMARK" => {
            let metadata = last_member(object, "metadata").unwrap_or_default();
            match last_member(metadata, "resourceVersion").and_then(decode_string) {
                Some(version) if !version.is_empty() => {
                    let annotations = last_member(metadata, "annotations").unwrap_or_default();
                    let end = last_member(annotations, INITIAL_EVENTS_END).and_then(decode_string);
                    Ok(WatchItem::Bookmark {
                        version: ResourceVersion::new(&version),
                        initial_events_end: end.as_deref() == Some("true"),
                    })
                }
                _ => Ok(WatchItem::Ignored { event_type }),
            }
        }
        _ => Ok(WatchItem::Ignored { event_type }),
    }
}

/// A document that is no event. Servers and proxies that give up in the middle write a bare Status.
fn without_type(frame: &Frame<'_>) -> Result<WatchItem, StreamError> {
    json::check(frame.json)?;
    if frame.get("kind").and_then(decode_string).as_deref() == Some("Status") {
        return Ok(WatchItem::Error(failure(frame.json)));
    }
    Ok(WatchItem::Ignored { event_type: String::new() })
}

/// From a Status, or from whatever the server wrote in its place.
fn failure(json: &[u8]) -> Status {
    if let Some(plain) = decode_string(json) {
        return Status::from_status(&serde_json::json!({ "message": plain }));
    }
    let mut status = Value::Null;
    for key in ["code", "reason", "message", "details"] {
        let value = last_member(json, key).and_then(|value| serde_json::from_slice(value).ok());
        status[key] = value.unwrap_or_default();
    }
    Status::from_status(&status)
}

#[cfg(test)]
mod tests;

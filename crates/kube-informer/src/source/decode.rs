//! Watch events: frame → what happened.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::error::HttpFailure;
use super::frames::{Frame, Frames};
use super::intake::Intake;
use super::stream_error::{StreamError, check_json};
use crate::key::ObjectKey;
use crate::object::ingest::IngestError;
use crate::object::known::{Known, NothingKnown};
use crate::object::record::Record;
use crate::version::ResourceVersion;

/// One event of a watch.
#[derive(Debug)]
pub(crate) enum WatchItem {
    /// An object changed.
    Object { change: ChangeType, record: Arc<Record> },
    /// An object changed but cannot be taken in. That is its problem alone, the watch goes on.
    LeftOut { key: Option<ObjectKey>, message: String },
    /// Nothing up to this version has been missed.
    Bookmark { version: ResourceVersion, initial_events_end: bool },
    /// The server reports an error; the stream ends with it.
    Error(HttpFailure),
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
    /// `known` is asked for initial events only: a live event is news by nature.
    pub(crate) fn next(
        &mut self,
        intake: &impl Intake,
        known: &dyn Known,
    ) -> Option<Result<WatchItem, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        let known = if self.initial { known } else { &NothingKnown };
        if let Some(item) = self.plain(intake, known) {
            return Some(Ok(item));
        }
        let item = self.frames.next_frame()?.and_then(|frame| decode(&frame, intake, known));
        match &item {
            Ok(WatchItem::Bookmark { initial_events_end: true, .. }) => self.initial = false,
            Ok(_) => {}
            Err(error) => self.failed = Some(error.clone()),
        }
        Some(item)
    }

    /// An event that is whole within the chunk and written as servers write it: one pass over its bytes does it all.
    /// With `None` nothing has been done.
    fn plain(&mut self, intake: &impl Intake, known: &dyn Known) -> Option<WatchItem> {
        let event = self.frames.beginning()?;
        let (change, object) =
            PLAIN.iter().find_map(|(start, change)| Some((*change, event.strip_prefix(*start)?)))?;
        let (taken, end) = intake.take_first(object, known, |rest| rest.first() == Some(&b'}'))?;
        let length = event.len() - object.len() + end + 1;
        let item = changed(change, taken).ok()?;
        self.frames.skip(length);
        Some(item)
    }

    /// The body has ended. An error if it ended in the middle of an event.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => self.frames.finish(),
        }
    }
}

fn decode(frame: &Frame<'_>, intake: &impl Intake, known: &dyn Known) -> Result<WatchItem, StreamError> {
    let (event_type, object) = (frame.get("type"), frame.get("object"));
    for (key, value) in frame.iter() {
        // What is not read below has to be JSON all the same.
        let read = [event_type, object].into_iter().flatten().any(|read| std::ptr::eq(read, value));
        if !read {
            check_json(key)?;
            check_json(value)?;
        }
    }
    let Some(event_type) = event_type else { return without_type(frame) };
    // Compared as bytes: the common types need no parser.
    let change = match event_type {
        br#""ADDED""# => ChangeType::Added,
        br#""MODIFIED""# => ChangeType::Modified,
        br#""DELETED""# => ChangeType::Deleted,
        _ => return special(event_type, object.unwrap_or(b"null")),
    };
    let Some(object) = object else {
        return Ok(WatchItem::LeftOut { key: None, message: "the event has no object".to_owned() });
    };
    changed(change, intake.take(object, known))
}

fn changed(change: ChangeType, taken: Result<Arc<Record>, IngestError>) -> Result<WatchItem, StreamError> {
    match taken {
        Ok(record) => Ok(WatchItem::Object { change, record }),
        Err(IngestError::LeftOut { key, message }) => Ok(WatchItem::LeftOut { key, message }),
        Err(IngestError::NotJson(message)) => Err(StreamError::NotJson(message)),
    }
}

/// Events that carry no object to take in.
fn special(event_type: &[u8], object: &[u8]) -> Result<WatchItem, StreamError> {
    let event_type = match serde_json::from_slice(event_type)? {
        Value::String(text) => text,
        other => other.to_string(),
    };
    // Read as it comes, not into a type: bookmarks have null where objects must not (P-052).
    let object: Value = serde_json::from_slice(object)?;
    match event_type.as_str() {
        "ERROR" => Ok(WatchItem::Error(HttpFailure::from_status(&object))),
        "BOOKMARK" => {
            let metadata = &object["metadata"];
            match metadata["resourceVersion"].as_str() {
                Some(version) if !version.is_empty() => Ok(WatchItem::Bookmark {
                    version: ResourceVersion::new(version),
                    initial_events_end: metadata["annotations"][INITIAL_EVENTS_END] == "true",
                }),
                _ => Ok(WatchItem::Ignored { event_type }),
            }
        }
        _ => Ok(WatchItem::Ignored { event_type }),
    }
}

/// A document that is no event. Servers and proxies that give up in the middle write a bare Status.
fn without_type(frame: &Frame<'_>) -> Result<WatchItem, StreamError> {
    let document: Value = serde_json::from_slice(frame.json)?;
    if document["kind"] == "Status" {
        return Ok(WatchItem::Error(HttpFailure::from_status(&document)));
    }
    Ok(WatchItem::Ignored { event_type: String::new() })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;

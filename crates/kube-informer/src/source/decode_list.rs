//! Lists: body → items, and at the end the list's own metadata.

use std::sync::Arc;

use bytes::Bytes;
use informer_wire::framing::{FramedItem, ListFrame, ListFrames, StreamError};
use informer_wire::{ObjectKey, ResourceVersion, Status};
use serde_json::Value;

use informer_core::object::ingest::{Ingest, IngestError};
use informer_core::object::known::Known;
use informer_core::object::record::Record;

/// One item of a list.
#[derive(Debug)]
pub(crate) enum ListItem {
    Object(Arc<Record>),
    /// An object that cannot be taken in. That is its problem alone, the list goes on.
    LeftOut {
        key: Option<ObjectKey>,
        message: String,
    },
}

/// The metadata of a list. Given only for a list that was read to its end without an error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ListEnd {
    pub(crate) version: ResourceVersion,
    /// Set if there are more pages; an empty token counts as none.
    pub(crate) continue_token: Option<String>,
}

/// Reads the body of a list.
#[derive(Debug)]
pub(crate) struct ListDecoder {
    frames: ListFrames,
    failed: Option<StreamError>,
}

impl ListDecoder {
    /// With a limit for the size of one item, and of what stands beside the items.
    pub(crate) fn new(limit: usize) -> Self {
        Self { frames: ListFrames::new(limit), failed: None }
    }

    /// Takes in the next chunk. The items of the last one should have been read.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.frames.push(chunk);
    }

    /// The next item; `None` if more bytes are needed. After an error nothing comes, and all that came before counts
    /// for nothing.
    pub(crate) fn next(
        &mut self,
        ingest: &Ingest,
        known: &dyn Known,
    ) -> Option<Result<ListItem, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        let first =
            |bytes: &[u8]| ingest.take_first(bytes, known, |rest| matches!(rest.first(), Some(b',' | b']')));
        let taken = self.frames.next_item(first).map(|item| {
            item.map(|item| match item {
                FramedItem::Taken(taken) => taken,
                FramedItem::Split(json) => ingest.take(json, known),
            })
        });
        let result = match taken {
            None => self.reject_table().map(Err),
            Some(Ok(Ok(record))) => Some(Ok(ListItem::Object(record))),
            Some(Ok(Err(IngestError::LeftOut { key, message, .. }))) => {
                Some(Ok(ListItem::LeftOut { key, message }))
            }
            Some(Ok(Err(IngestError::NotJson(message)))) => Some(Err(StreamError::NotJson(message))),
            Some(Err(error)) => Some(Err(error)),
        };
        if let Some(Err(error)) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    /// A Table says so at its beginning; there is no need to read it to its end.
    fn reject_table(&self) -> Option<StreamError> {
        (self.frames.member("kind") == Some(br#""Table""#))
            .then(|| StreamError::NotAList("a Table".to_owned()))
    }

    /// The body has ended. Says whether something was held back that is to be read now.
    pub(crate) fn end_of_body(&mut self) -> bool {
        self.frames.end_of_body()
    }

    /// All has been read. Anything but a whole list is an error.
    pub(crate) fn finish(&mut self) -> Result<ListEnd, StreamError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.frames.finish().and_then(|frame| list_end(&frame));
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }
}

fn list_end(frame: &ListFrame) -> Result<ListEnd, StreamError> {
    let read = |key| match frame.get(key) {
        Some(json) => serde_json::from_slice::<Value>(json),
        None => Ok(Value::Null),
    };
    match read("kind")?.as_str().unwrap_or_default() {
        "Status" => {
            let mut status = Value::Null;
            for key in ["code", "reason", "message", "details"] {
                status[key] = read(key)?;
            }
            return Err(StreamError::Status(Status::from_status(&status)));
        }
        "Table" => return Err(StreamError::NotAList("a Table".to_owned())),
        // The list kind of a custom resource may have any name, so the items decide; without them, the name.
        kind if !frame.has_items && !kind.ends_with("List") => {
            return Err(StreamError::NotAList(if kind.is_empty() {
                String::new()
            } else {
                format!("a {kind}")
            }));
        }
        _ => {}
    }
    let metadata = read("metadata")?;
    let text = |key: &str| metadata[key].as_str().filter(|text| !text.is_empty());
    Ok(ListEnd {
        version: ResourceVersion::new(text("resourceVersion").ok_or(StreamError::NoVersion)?),
        continue_token: text("continue").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests;

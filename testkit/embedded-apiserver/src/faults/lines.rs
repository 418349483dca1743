//! The lines of a watch, each one event.

use std::io;

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use http_body_util::{BodyDataStream, BodyExt as _};
use serde::Deserialize;

use crate::body::Body;

/// Reads a body line by line.
#[derive(Debug)]
pub(super) struct Lines {
    body: BodyDataStream<Body>,
    buffer: BytesMut,
    /// How many bytes of the buffer are known to have no newline.
    searched: usize,
}

impl Lines {
    pub(super) fn of(body: Body) -> Self {
        Self { body: body.into_data_stream(), buffer: BytesMut::new(), searched: 0 }
    }

    /// The next line with its newline. What follows the last newline is a line too.
    pub(super) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if let Some(end) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(self.searched + end + 1).freeze();
                self.searched = 0;
                return Some(Ok(line));
            }
            self.searched = self.buffer.len();
            match self.body.next().await {
                Some(Ok(bytes)) => self.buffer.extend_from_slice(&bytes),
                Some(Err(error)) => return Some(Err(error)),
                None if self.buffer.is_empty() => return None,
                None => {
                    self.searched = 0;
                    return Some(Ok(self.buffer.split().freeze()));
                }
            }
        }
    }
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// An object was added, modified or deleted.
    Object,
    /// The bookmark after the initial events.
    EndBookmark,
    Other,
}

#[derive(Deserialize)]
struct WatchEvent<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    object: Option<EventObject>,
}

#[derive(Deserialize)]
struct EventObject {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    annotations: Option<Annotations>,
}

#[derive(Deserialize)]
struct Annotations {
    #[serde(rename = "k8s.io/initial-events-end")]
    end: Option<String>,
}

impl LineKind {
    pub(super) fn of(line: &[u8]) -> Self {
        let Ok(event) = serde_json::from_slice::<WatchEvent<'_>>(line) else { return Self::Other };
        let annotations = event.object.and_then(|object| object.metadata.annotations);
        match event.kind {
            "ADDED" | "MODIFIED" | "DELETED" => Self::Object,
            "BOOKMARK" if annotations.and_then(|it| it.end).is_some() => Self::EndBookmark,
            _ => Self::Other,
        }
    }
}

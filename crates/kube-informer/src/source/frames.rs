//! Bytes to documents: the body of a watch is one JSON object after the other.
//!
//! Every byte is looked at once here. A document that lies whole within a chunk is not copied; one that crosses chunks is
//! put together in a buffer that is used again. Line breaks mean nothing: documents may be spread over lines or
//! follow each other without any. The usual event, whole and plainly written, is not split off at all: the decoder reads
//! it at its [beginning](Frames::beginning).

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::capture::Capture;
use super::stream_error::StreamError;
use crate::json::{
    ChunkedMembers, Malformed, Mark, decode_string, member_of_beginning, skip_space, string_is,
};
use crate::key::ObjectKey;

/// How large one document may be unless set otherwise.
#[cfg(test)]
pub(crate) const DEFAULT_LIMIT: usize = 32 << 20;

/// Events have two members. More than this is no event, and remembering them all would cost more than the document.
pub(crate) const MOST_MEMBERS: usize = 1024;

/// Splits the body of a watch into documents.
#[derive(Debug)]
pub(crate) struct Frames {
    chunk: Bytes,
    /// How far the chunk has been read.
    at: usize,
    document: ChunkedMembers,
    capture: Capture,
    members: Vec<MemberRange>,
    failed: Option<StreamError>,
}

/// Where a member of the document stands in it. The key includes its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MemberRange {
    key: Range<usize>,
    value: Range<usize>,
}

/// One document and its members.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) json: &'a [u8],
    members: &'a [MemberRange],
}

impl<'a> Frame<'a> {
    /// The raw value of a member; the last one, should a key stand there twice.
    pub(crate) fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.iter().filter(|(name, _)| string_is(name, key)).last().map(|(_, value)| value)
    }

    /// Raw keys with their quotes, and raw values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let (json, members) = (self.json, self.members);
        members
            .iter()
            .filter_map(|member| Some((json.get(member.key.clone())?, json.get(member.value.clone())?)))
    }
}

impl Frames {
    /// With a limit for the size of one document.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            chunk: Bytes::new(),
            at: 0,
            document: ChunkedMembers::of_object(),
            capture: Capture::new(limit),
            members: Vec::new(),
            failed: None,
        }
    }

    /// Takes in the next chunk. The frames of the last one should have been read.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        if self.at < self.chunk.len() {
            let mut joined = BytesMut::from(self.chunk.as_ref());
            joined.extend_from_slice(&chunk);
            self.chunk = joined.freeze();
        } else {
            self.chunk = chunk;
            self.at = 0;
        }
    }

    /// What has come and was not read, if that is where a document begins; no more of it than one may have.
    ///
    /// Whoever can make something of it says how far with [`skip`](Self::skip), all others ask for the
    /// [next frame](Self::next_frame).
    pub(crate) fn beginning(&mut self) -> Option<&[u8]> {
        if self.failed.is_some() || !self.document.is_untouched() {
            return None;
        }
        self.at = skip_space(&self.chunk, self.at);
        let rest = self.chunk.get(self.at..).filter(|rest| !rest.is_empty())?;
        rest.get(..rest.len().min(self.capture.limit()))
    }

    /// A document of this length was read by somebody else.
    pub(crate) fn skip(&mut self, length: usize) {
        self.at = self.chunk.len().min(self.at + length);
    }

    /// The next whole document; `None` if more bytes are needed. An error ends the stream: nothing comes after it.
    pub(crate) fn next_frame(&mut self) -> Option<Result<Frame<'_>, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        match self.advance() {
            Ok(true) => Some(Ok(Frame { json: self.capture.piece(&self.chunk), members: &self.members })),
            Ok(false) => None,
            Err(error) => Some(Err(self.failed.insert(error).clone())),
        }
    }

    /// The body has ended. An error if it ended within a document, or has failed before.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.document.is_untouched() && self.rest_is_space() => Ok(()),
            None => Err(StreamError::CutFrame),
        }
    }

    fn rest_is_space(&self) -> bool {
        skip_space(&self.chunk, self.at) == self.chunk.len()
    }

    /// Reads on to the end of the document; false if the chunk ends before it.
    fn advance(&mut self) -> Result<bool, StreamError> {
        while let Some(mark) = self.document.next_mark(&self.chunk, &mut self.at)? {
            match mark {
                Mark::Open(at) => {
                    self.members.clear();
                    self.capture.begin(at);
                }
                Mark::KeyStart(at) => {
                    if self.members.len() == MOST_MEMBERS {
                        return Err(Malformed::new("too many members at the top level").into());
                    }
                    let key = self.capture.offset(at);
                    self.members.push(MemberRange { key: key..key, value: key..key });
                }
                Mark::KeyEnd(at) => self.member(at, |member, place| member.key.end = place),
                Mark::ValueStart(at) => self.member(at, |member, place| member.value.start = place),
                Mark::ValueEnd(at) => self.member(at, |member, place| member.value.end = place),
                Mark::Close(at) => {
                    self.document = ChunkedMembers::of_object();
                    self.capture.end(&self.chunk, at).map_err(|_| self.too_big())?;
                    return Ok(true);
                }
            }
        }
        self.capture.carry(&self.chunk).map_err(|_| self.too_big())?;
        self.chunk = Bytes::new();
        self.at = 0;
        Ok(false)
    }

    fn too_big(&self) -> StreamError {
        let key =
            member_of_beginning(self.capture.seen(), "object").and_then(|(object, _)| object_key(object));
        StreamError::TooBig { limit: self.capture.limit(), key }
    }

    fn member(&mut self, at: usize, set: impl FnOnce(&mut MemberRange, usize)) {
        let place = self.capture.offset(at);
        if let Some(member) = self.members.last_mut() {
            set(member, place);
        }
    }
}

/// The key of an object of which only the beginning is there.
pub(crate) fn object_key(object: &[u8]) -> Option<ObjectKey> {
    let (metadata, whole) = member_of_beginning(object, "metadata")?;
    let text = |key| match member_of_beginning(metadata, key)? {
        (value, true) => decode_string(value),
        _ => None,
    };
    let namespace = text("namespace");
    // A cut-off metadata without a namespace may have one further on.
    (whole || namespace.is_some())
        .then(|| text("name"))
        .flatten()
        .filter(|name| !name.is_empty())
        .map(|name| ObjectKey::from_parts(namespace.map(Into::into), name.into()))
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;

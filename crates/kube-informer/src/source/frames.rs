//! Bytes to documents: the body of a watch is one JSON object after the other.
//!
//! Line breaks mean nothing: a document may be spread over several lines, and the next may follow without a line break.
//! Most events are not split off here at all: those that lie whole within a chunk and are written as servers write them
//! are read by the decoder where they [begin](Frames::beginning).

use std::ops::Range;

use bytes::Bytes;

use super::chunks::Chunks;
use super::stream_error::StreamError;
use crate::json::{ChunkedMembers, Malformed, Mark, decode_string, member_of_beginning, string_is};
use crate::key::ObjectKey;

/// How large one document may be unless set otherwise.
#[cfg(test)]
pub(crate) const DEFAULT_LIMIT: usize = 32 << 20;

/// Events have two members. More than this is no event, and remembering them all would cost more than the document.
pub(crate) const MOST_MEMBERS: usize = 1024;

/// Splits the body of a watch into documents.
#[derive(Debug)]
pub(crate) struct Frames {
    chunks: Chunks,
    document: ChunkedMembers,
    members: Vec<MemberRange>,
    failed: Option<StreamError>,
}

/// Where the key, with its quotes, and the value of a member stand in the document.
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
            chunks: Chunks::new(limit),
            document: ChunkedMembers::of_object(),
            members: Vec::new(),
            failed: None,
        }
    }

    /// Takes in the next chunk. The frames of the last one should have been read.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.chunks.push(chunk);
    }

    /// What has come and was not read, if that is where a document begins; no more of it than one document may have.
    ///
    /// A caller that can read a document there says how long it is with [`skip`](Self::skip). All others ask for the
    /// [next frame](Self::next_frame).
    pub(crate) fn beginning(&mut self) -> Option<&[u8]> {
        if self.failed.is_some() || !self.document.is_untouched() {
            return None;
        }
        Some(self.chunks.unread()).filter(|rest| !rest.is_empty())
    }

    /// The caller has read a document of this length.
    pub(crate) fn skip(&mut self, length: usize) {
        self.chunks.skip(length);
    }

    /// The next whole document; `None` if more bytes are needed. An error ends the stream: nothing comes after it.
    pub(crate) fn next_frame(&mut self) -> Option<Result<Frame<'_>, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        match self.advance() {
            Ok(true) => Some(Ok(Frame { json: self.chunks.piece(), members: &self.members })),
            Ok(false) => None,
            Err(error) => Some(Err(self.failed.insert(error).clone())),
        }
    }

    /// The body has ended. An error if it ended within a document, or has failed before.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.document.is_untouched() && self.chunks.is_read() => Ok(()),
            None => Err(StreamError::CutFrame),
        }
    }

    /// Reads on to the end of the document; false if the chunk ends before it.
    fn advance(&mut self) -> Result<bool, StreamError> {
        while let Some(mark) = self.chunks.next_mark(&mut self.document)? {
            match mark {
                Mark::Open(at) => {
                    self.members.clear();
                    self.chunks.begin(at);
                }
                Mark::KeyStart(at) => {
                    if self.members.len() == MOST_MEMBERS {
                        return Err(Malformed::new("too many members at the top level").into());
                    }
                    let key = self.chunks.offset(at);
                    self.members.push(MemberRange { key: key..key, value: key..key });
                }
                Mark::KeyEnd(at) => self.member(at, |member, place| member.key.end = place),
                Mark::ValueStart(at) => self.member(at, |member, place| member.value.start = place),
                Mark::ValueEnd(at) => self.member(at, |member, place| member.value.end = place),
                Mark::Close(at) => {
                    self.document = ChunkedMembers::of_object();
                    self.chunks.end(at).map_err(|_| self.too_big())?;
                    return Ok(true);
                }
            }
        }
        self.chunks.used_up().map_err(|_| self.too_big())?;
        Ok(false)
    }

    fn too_big(&self) -> StreamError {
        let key = member_of_beginning(self.chunks.beginning_of_oversize(), "object")
            .and_then(|(object, _)| object_key(object));
        StreamError::TooBig { limit: self.chunks.limit(), key }
    }

    fn member(&mut self, at: usize, set: impl FnOnce(&mut MemberRange, usize)) {
        let place = self.chunks.offset(at);
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
mod tests;

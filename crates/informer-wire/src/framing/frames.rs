//! Bytes to documents: the body of a watch is one JSON object after the other.
//!
//! Line breaks mean nothing: a document may be spread over several lines, and the next may follow without a line break.
//! But servers end each with a line break, so where one has, the next is expected to. That is a quick way to see when an
//! event that comes in several chunks is whole, and then the decoder reads it in [one pass](Frames::one_pass). Only what
//! cannot be read like this is split off here.

use std::ops::Range;

use bytes::Bytes;

use super::chunks::{Chunks, OnePass};
use super::ending::Ending;
use super::stream_error::StreamError;
use crate::json::{ChunkedMembers, Malformed, Mark, decode_string, member_of_beginning, string_is};
use crate::key::ObjectKey;

/// How large one document may be unless set otherwise.
#[cfg(test)]
const DEFAULT_LIMIT: usize = 32 << 20;

/// Events have two members. More than this is no event, and remembering them all would cost more than the document.
pub(super) const MOST_MEMBERS: usize = 1024;

/// Splits the body of a watch into documents.
#[derive(Debug)]
pub struct Frames {
    chunks: Chunks,
    line: Ending,
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
pub struct Frame<'a> {
    /// The whole document.
    pub json: &'a [u8],
    members: &'a [MemberRange],
}

impl<'a> Frame<'a> {
    /// The raw value of a member; the last one, should a key stand there twice.
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.iter().filter(|(name, _)| string_is(name, key)).last().map(|(_, value)| value)
    }

    /// Raw keys with their quotes, and raw values.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let (json, members) = (self.json, self.members);
        members
            .iter()
            .filter_map(|member| Some((json.get(member.key.clone())?, json.get(member.value.clone())?)))
    }
}

impl Frames {
    /// With a limit for the size of one document.
    pub fn new(limit: usize) -> Self {
        Self {
            chunks: Chunks::new(limit),
            line: Ending::line(),
            document: ChunkedMembers::of_object(),
            members: Vec::new(),
            failed: None,
        }
    }

    /// Takes in the next chunk. The frames of the last one should have been read.
    pub fn push(&mut self, chunk: Bytes) {
        self.chunks.push(chunk);
    }

    /// The body has ended. Says whether a document was held back that is to be read now, as it is.
    pub fn end_of_body(&mut self) -> bool {
        self.chunks.end_of_body()
    }

    /// The next document, if `parse` can read it: it gets what has come of it and what follows, and returns how long it is.
    /// If it is refused, the caller asks for the [next frame](Self::next_frame).
    ///
    /// `is_plain` says of the beginning of a document whether `parse` might read it once it is whole.
    pub fn one_pass<T>(
        &mut self,
        is_plain: impl FnOnce(&[u8]) -> bool,
        parse: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> OnePass<T> {
        if self.failed.is_some() || !self.document.is_untouched() {
            return OnePass::Refused(self.chunks.place());
        }
        let gather = self.chunks.is_gathering() || {
            let rest = self.chunks.unread();
            !rest.is_empty() && is_plain(rest) && self.chunks.line_begins()
        };
        self.chunks.one_pass(self.chunks.place(), gather.then_some(&self.line), parse)
    }

    /// The next whole document; `None` if more bytes are needed. An error ends the stream: nothing comes after it.
    pub fn next_frame(&mut self) -> Option<Result<Frame<'_>, StreamError>> {
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
    pub fn finish(&self) -> Result<(), StreamError> {
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
pub(super) fn object_key(object: &[u8]) -> Option<ObjectKey> {
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
        .map(|name| crate::key::from_parts(namespace.map(Into::into), name.into()))
}

#[cfg(test)]
mod tests;

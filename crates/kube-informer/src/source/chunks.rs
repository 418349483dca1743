//! The chunks of a body, and the bytes of one piece of it, which may begin in one chunk and end in another.
//!
//! A piece that lies within one chunk is not copied. One that crosses a boundary is put together in a buffer that is used
//! again for the next.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use crate::json::{ChunkedMembers, Malformed, Mark, skip_space};

/// The piece is larger than the limit.
#[derive(Debug)]
pub(crate) struct Oversize;

/// The chunk at hand, how far it has been read, and the piece that is being captured.
///
/// Places are those of the chunk at hand.
#[derive(Debug)]
pub(crate) struct Chunks {
    chunk: Bytes,
    /// How far the chunk has been read.
    at: usize,
    /// How large one piece may be.
    limit: usize,
    /// What came of the piece in earlier chunks.
    held: Vec<u8>,
    /// Where the piece begins, if one is being captured.
    from: Option<usize>,
    /// Where the finished piece stands, if nothing of it had to be held.
    within: Range<usize>,
}

/// A buffer that one large object has made larger than this is given back after it.
const KEEP: usize = 1 << 20;

impl Chunks {
    /// With a limit for the size of one piece.
    pub(crate) fn new(limit: usize) -> Self {
        Self { chunk: Bytes::new(), at: 0, limit, held: Vec::new(), from: None, within: 0..0 }
    }

    /// Takes in the next chunk. The last one should have been read to its end; if not, both are joined, which copies.
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

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// What has come from a place on, but no more than one piece may have.
    pub(crate) fn from(&self, at: usize) -> &[u8] {
        let rest = self.chunk.get(at..).unwrap_or_default();
        rest.get(..self.limit).unwrap_or(rest)
    }

    /// What has come and was not read, from the first byte on that is no space, but no more than one piece may have.
    pub(crate) fn unread(&mut self) -> &[u8] {
        self.at = skip_space(&self.chunk, self.at);
        self.from(self.at)
    }

    /// Whether there is nothing but space left to read.
    pub(crate) fn is_read(&self) -> bool {
        skip_space(&self.chunk, self.at) == self.chunk.len()
    }

    /// The caller has read up to a place.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = self.chunk.len().min(at);
    }

    /// The caller has read so many bytes.
    pub(crate) fn skip(&mut self, length: usize) {
        self.skip_to(self.at + length);
    }

    /// Goes on to the next mark of an object or array; `None` when the chunk is used up.
    #[inline]
    pub(crate) fn next_mark(&mut self, members: &mut ChunkedMembers) -> Result<Option<Mark>, Malformed> {
        members.next_mark(&self.chunk, &mut self.at)
    }

    /// A piece begins here.
    #[inline]
    pub(crate) fn begin(&mut self, at: usize) {
        if self.held.capacity() > KEEP {
            self.held = Vec::new();
        }
        self.held.clear();
        self.from = Some(at);
    }

    /// How far into the piece a place is.
    #[inline]
    pub(crate) fn offset(&self, at: usize) -> usize {
        self.held.len() + at.saturating_sub(self.from.unwrap_or(at))
    }

    /// The piece ends here; [`piece`](Self::piece) gives it.
    pub(crate) fn end(&mut self, at: usize) -> Result<(), Oversize> {
        let from = self.from.take().unwrap_or(at);
        self.within = from..at;
        if self.held.is_empty() && at.saturating_sub(from) <= self.limit {
            return Ok(());
        }
        self.held.extend_from_slice(self.chunk.get(from..at).unwrap_or_default());
        if self.held.len() > self.limit { Err(Oversize) } else { Ok(()) }
    }

    /// The chunk is used up: the beginning of an unfinished piece is copied from it, to be continued with the next
    /// chunk.
    pub(crate) fn used_up(&mut self) -> Result<(), Oversize> {
        if let Some(from) = self.from {
            self.held.extend_from_slice(self.chunk.get(from..).unwrap_or_default());
            self.from = Some(0);
        }
        self.chunk = Bytes::new();
        self.at = 0;
        if self.held.len() > self.limit { Err(Oversize) } else { Ok(()) }
    }

    /// The piece that has just ended.
    pub(crate) fn piece(&self) -> &[u8] {
        if self.held.is_empty() {
            self.chunk.get(self.within.clone()).unwrap_or_default()
        } else {
            &self.held
        }
    }

    /// What is held of a piece that proved too large.
    pub(crate) fn beginning_of_oversize(&self) -> &[u8] {
        &self.held
    }

    /// The byte at a place.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.chunk.get(at).copied()
    }
}

//! The bytes of one piece of a stream, kept over chunk boundaries, copied only where it crosses one.

use std::ops::Range;

/// The piece is larger than the limit.
#[derive(Debug)]
pub(crate) struct Oversize;

/// Collects the bytes from a start to an end that may lie in different chunks.
#[derive(Debug)]
pub(crate) struct Capture {
    limit: usize,
    /// What came in earlier chunks. Reused from piece to piece.
    held: Vec<u8>,
    /// Where the piece begins in the chunk at hand, if one is being captured.
    from: Option<usize>,
    /// Where the finished piece stands in the chunk at hand, if nothing of it had to be kept.
    within: Range<usize>,
}

/// A buffer grown beyond this by one large object is given back after it.
const KEEP: usize = 1 << 20;

impl Capture {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, held: Vec::new(), from: None, within: 0..0 }
    }

    /// A piece begins here.
    pub(crate) fn begin(&mut self, at: usize) {
        if self.held.capacity() > KEEP {
            self.held = Vec::new();
        }
        self.held.clear();
        self.from = Some(at);
    }

    /// How far into the piece a place of the chunk at hand is.
    pub(crate) fn offset(&self, at: usize) -> usize {
        self.held.len() + at.saturating_sub(self.from.unwrap_or(at))
    }

    /// The chunk is used up: what belongs to the piece is kept.
    pub(crate) fn carry(&mut self, chunk: &[u8]) -> Result<(), Oversize> {
        if let Some(from) = self.from {
            self.held.extend_from_slice(chunk.get(from..).unwrap_or_default());
            self.from = Some(0);
        }
        if self.held.len() > self.limit { Err(Oversize) } else { Ok(()) }
    }

    /// The piece ends here; [`piece`](Self::piece) gives it.
    pub(crate) fn end(&mut self, chunk: &[u8], at: usize) -> Result<(), Oversize> {
        let from = self.from.take().unwrap_or(at);
        self.within = from..at;
        if self.held.is_empty() && at.saturating_sub(from) <= self.limit {
            return Ok(());
        }
        self.held.extend_from_slice(chunk.get(from..at).unwrap_or_default());
        if self.held.len() > self.limit { Err(Oversize) } else { Ok(()) }
    }

    /// The piece that has just ended in this chunk.
    pub(crate) fn piece<'a>(&'a self, chunk: &'a [u8]) -> &'a [u8] {
        if self.held.is_empty() { chunk.get(self.within.clone()).unwrap_or_default() } else { &self.held }
    }

    /// What has been kept of a piece that proved too large.
    pub(crate) fn seen(&self) -> &[u8] {
        &self.held
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }
}

//! The chunks of a body, and the bytes of one piece of it, which may begin in one chunk and end in another.
//!
//! A piece that lies within one chunk is not copied. One that crosses a boundary is put together in a buffer that is used
//! again for the next. There are two ways to find its end: [`one_pass`](Chunks::one_pass) puts it together until it is
//! probably whole and has it parsed where it lies, which is quick and takes most of what servers send;
//! [`next_mark`](Chunks::next_mark) goes over every byte as it comes and takes everything.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::ending::Ending;
use crate::json::{ChunkedMembers, Malformed, Mark, skip_space};

/// The piece is larger than the limit.
#[derive(Debug)]
pub(super) struct Oversize;

/// The chunk at hand, how far it has been read, and the piece that is being captured.
///
/// Places are those of the chunk at hand.
#[derive(Debug)]
pub(super) struct Chunks {
    chunk: Bytes,
    /// How far the chunk has been read.
    at: usize,
    /// How large one piece may be.
    limit: usize,
    /// What came of the piece in earlier chunks.
    held: Vec<u8>,
    /// Whether it is put together without being looked at. The chunk at hand begins behind what is held.
    gathering: bool,
    /// Whether nothing but space was read since the last line break.
    line_begins: bool,
    /// Whether there are no more chunks.
    ended: bool,
    /// Where the piece begins, if one is being captured.
    from: Option<usize>,
    /// Where the finished piece stands, if nothing of it had to be held.
    within: Range<usize>,
}

/// What came of reading a piece in one pass.
#[derive(Debug, PartialEq, Eq)]
pub enum OnePass<T> {
    /// The piece, parsed.
    Read(T),
    /// More bytes are needed.
    More,
    /// It cannot be read like this. It begins at this place, and nothing of it has been read.
    Refused(usize),
}

/// A buffer that one large object has made larger than this is given back after it. Nothing larger is gathered.
const KEEP: usize = 1 << 20;

/// Where so much has come, it is not asked whether the next piece is whole: parsing it will tell, and mostly it is.
const PLENTY: usize = 32 << 10;

impl Chunks {
    /// With a limit for the size of one piece.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            chunk: Bytes::new(),
            at: 0,
            limit,
            held: Vec::new(),
            gathering: false,
            line_begins: false,
            ended: false,
            from: None,
            within: 0..0,
        }
    }

    /// Takes in the next chunk. The last one should have been read to its end; if not, both are joined, which copies.
    pub(super) fn push(&mut self, chunk: Bytes) {
        if self.at < self.chunk.len() {
            let mut joined = BytesMut::from(self.chunk.as_ref());
            joined.extend_from_slice(&chunk);
            self.chunk = joined.freeze();
        } else {
            self.chunk = chunk;
            self.at = 0;
        }
    }

    /// There are no more chunks: what is gathered has to be read as it is. Says whether something is.
    pub(super) fn end_of_body(&mut self) -> bool {
        self.ended = true;
        self.gathering
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// What has come from a place on, but no more than one piece may have.
    #[inline]
    pub(super) fn from(&self, at: usize) -> &[u8] {
        let rest = self.chunk.get(at..).unwrap_or_default();
        rest.get(..self.limit).unwrap_or(rest)
    }

    /// What has come and was not read, from the first byte on that is no space, but no more than one piece may have.
    #[inline]
    pub(super) fn unread(&mut self) -> &[u8] {
        let start = skip_space(&self.chunk, self.at);
        if start > self.at {
            self.line_begins = self.byte(start - 1) == Some(b'\n');
        }
        self.at = start;
        self.from(start)
    }

    /// Whether [`unread`](Self::unread) bytes begin a line.
    pub(super) fn line_begins(&self) -> bool {
        self.line_begins
    }

    /// Whether there is nothing but space left to read.
    #[inline]
    pub(super) fn is_read(&self) -> bool {
        !self.gathering && skip_space(&self.chunk, self.at) == self.chunk.len()
    }

    /// Whether a piece has begun that [`one_pass`](Self::one_pass) is to go on with.
    pub(super) fn is_gathering(&self) -> bool {
        self.gathering
    }

    /// How far the chunk at hand has been read.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The caller has read up to a place.
    #[inline]
    pub(super) fn skip_to(&mut self, at: usize) {
        self.at = self.chunk.len().min(at);
    }

    /// Has the piece that begins at `at` parsed where it lies. If it has not all come, it is gathered until the `ending` is
    /// found; without one it is refused.
    ///
    /// `parse` gets all that has come from the beginning of the piece on, but no more than one piece may have, and returns
    /// how long the piece is. However small the chunks are, it is called at most once for a piece.
    pub(super) fn one_pass<T>(
        &mut self,
        at: usize,
        ending: Option<&Ending>,
        mut parse: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> OnePass<T> {
        if self.gathering {
            return match ending.filter(|_| !self.ended) {
                Some(ending) => self.gather(ending, parse),
                None => self.give_up(self.at),
            };
        }
        let rest = self.from(at);
        let ending = ending.filter(|_| !self.ended && rest.len() < self.limit.min(PLENTY));
        if ending.is_some_and(|ending| !ending.is_in(rest)) {
            self.forget_held();
            self.gathering = true;
            return self.hold(at);
        }
        match parse(rest) {
            Some((read, length)) => {
                self.skip_to(at + length);
                self.line_begins = false;
                OnePass::Read(read)
            }
            None => OnePass::Refused(at),
        }
    }

    /// Goes on with a piece of which some is held.
    fn gather<T>(
        &mut self,
        ending: &Ending,
        mut parse: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> OnePass<T> {
        let new = self.chunk.get(self.at..).unwrap_or_default();
        let end = match ending.find_on(&self.held, new) {
            Some(end) => self.at + end,
            None if new.ends_with(b"\n") => self.chunk.len(),
            None if ending.may_be_behind(new) || self.held.len() + new.len() > self.limit.min(KEEP) => {
                return self.give_up(self.at);
            }
            None => return self.hold(self.at),
        };
        self.held.extend_from_slice(self.chunk.get(self.at..end).unwrap_or_default());
        let parsed = if self.held.len() > self.limit { None } else { parse(&self.held) };
        let Some((read, length)) = parsed else { return self.give_up(end) };
        // What was gathered too much is read again, in the chunk that it came from if that is still here.
        match end.checked_sub(self.held.len() - length) {
            Some(place) if place >= self.at => self.at = place,
            _ => {
                self.held.drain(..length);
                self.join(end);
            }
        }
        self.held.clear();
        self.gathering = false;
        self.line_begins = false;
        OnePass::Read(read)
    }

    /// Copies the chunk from `at` on, and lets go of it: its memory is used again for the next.
    fn hold<T>(&mut self, at: usize) -> OnePass<T> {
        self.held.extend_from_slice(self.chunk.get(at..).unwrap_or_default());
        self.chunk = Bytes::new();
        self.at = 0;
        OnePass::More
    }

    fn forget_held(&mut self) {
        if self.held.capacity() > KEEP {
            self.held = Vec::new();
        }
        self.held.clear();
    }

    /// Puts back what is held. The chunk has been read up to `end`.
    fn give_up<T>(&mut self, end: usize) -> OnePass<T> {
        self.join(end);
        self.gathering = false;
        OnePass::Refused(0)
    }

    /// What is held and the chunk from `end` on become one chunk.
    fn join(&mut self, end: usize) {
        let mut joined = std::mem::take(&mut self.held);
        joined.extend_from_slice(self.chunk.get(end..).unwrap_or_default());
        self.chunk = joined.into();
        self.at = 0;
    }

    /// Goes on to the next mark of an object or array; `None` when the chunk is used up.
    #[inline]
    pub(super) fn next_mark(&mut self, members: &mut ChunkedMembers) -> Result<Option<Mark>, Malformed> {
        members.next_mark(&self.chunk, &mut self.at)
    }

    /// A piece begins here.
    #[inline]
    pub(super) fn begin(&mut self, at: usize) {
        self.forget_held();
        self.from = Some(at);
    }

    /// How far into the piece a place is.
    #[inline]
    pub(super) fn offset(&self, at: usize) -> usize {
        self.held.len() + at.saturating_sub(self.from.unwrap_or(at))
    }

    /// The piece ends here; [`piece`](Self::piece) gives it.
    pub(super) fn end(&mut self, at: usize) -> Result<(), Oversize> {
        let from = self.from.take().unwrap_or(at);
        self.line_begins = false;
        self.within = from..at;
        if self.held.is_empty() && at.saturating_sub(from) <= self.limit {
            return Ok(());
        }
        self.held.extend_from_slice(self.chunk.get(from..at).unwrap_or_default());
        if self.held.len() > self.limit { Err(Oversize) } else { Ok(()) }
    }

    /// The chunk is used up: the beginning of an unfinished piece is copied from it, to be continued with the next
    /// chunk.
    pub(super) fn used_up(&mut self) -> Result<(), Oversize> {
        if let Some(from) = self.from {
            self.held.extend_from_slice(self.chunk.get(from..).unwrap_or_default());
            self.from = Some(0);
        }
        self.chunk = Bytes::new();
        self.at = 0;
        if self.held.len() > self.limit { Err(Oversize) } else { Ok(()) }
    }

    /// The piece that has just ended.
    pub(super) fn piece(&self) -> &[u8] {
        if self.held.is_empty() {
            self.chunk.get(self.within.clone()).unwrap_or_default()
        } else {
            &self.held
        }
    }

    /// What is held of a piece that proved too large.
    pub(super) fn beginning_of_oversize(&self) -> &[u8] {
        &self.held
    }

    /// The byte at a place.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.chunk.get(at).copied()
    }
}

#[cfg(test)]
mod tests;

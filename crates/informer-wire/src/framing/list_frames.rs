//! The body of a list to its items, one by one while they stream in.
//!
//! A list of a hundred thousand objects is never held whole. The top level may come in any order: built-in kinds send
//! `metadata` first, custom resources send it after the items. What stands beside the items is small and collected.

use bytes::Bytes;

use super::chunks::{Chunks, OnePass};
use super::ending::Ending;
use super::frames::{MOST_MEMBERS, object_key};
use super::stream_error::StreamError;
use crate::json::{self, ChunkedMembers, Malformed, Mark};

/// Splits the body of a list into its items.
#[derive(Debug)]
pub struct ListFrames {
    chunks: Chunks,
    list: ChunkedMembers,
    /// The array of items, while it is being read.
    items: Option<ChunkedMembers>,
    /// How the next item begins, once one has been seen.
    next: Option<Ending>,
    reading: ListReading,
    /// The members beside the items, checked to be JSON.
    members: Vec<(String, Vec<u8>)>,
    /// How many bytes they are.
    beside: usize,
    items_seen: bool,
    failed: Option<StreamError>,
}

/// Which member of the list is being read.
#[derive(Debug)]
enum ListReading {
    Nothing,
    Key,
    /// A key has been read, its value comes next.
    ValueOf(String),
}

/// One item.
#[derive(Debug)]
pub enum FramedItem<'a, T> {
    /// What `take` read where the item stands.
    Taken(T),
    /// The bytes of the item. Its brackets are balanced; whether it is JSON has not been checked.
    Split(&'a [u8]),
}

/// An item has been read.
enum Advance<T> {
    Taken(T),
    /// It is the piece that was captured.
    Split,
}

/// What stands beside the items of a list that has been read to its end.
#[derive(Debug)]
pub struct ListFrame {
    members: Vec<(String, Vec<u8>)>,
    /// Whether there was a member `items`, be it null.
    pub has_items: bool,
}

impl ListFrame {
    /// The JSON of a member.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        find(&self.members, key)
    }
}

fn find<'a>(members: &'a [(String, Vec<u8>)], key: &str) -> Option<&'a [u8]> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_slice())
}

impl ListFrames {
    /// With a limit for the size of one item, and for all that is not an item.
    pub fn new(limit: usize) -> Self {
        Self {
            chunks: Chunks::new(limit),
            list: ChunkedMembers::of_object(),
            items: None,
            next: None,
            reading: ListReading::Nothing,
            members: Vec::new(),
            beside: 0,
            items_seen: false,
            failed: None,
        }
    }

    /// Takes in the next chunk. The items of the last one should have been read.
    pub fn push(&mut self, chunk: Bytes) {
        self.chunks.push(chunk);
    }

    /// The body has ended. Says whether an item was held back that is to be read now, as it is.
    pub fn end_of_body(&mut self) -> bool {
        self.chunks.end_of_body()
    }

    /// The next whole item; `None` if more bytes are needed. After an error nothing comes.
    ///
    /// `take` is given what has come so far, from the beginning of an item on; what follows the item is in it as well. If
    /// it can read the item there, it returns what it read and how long the item is. If not, the item is split off. An item
    /// that comes in several chunks is put together before.
    pub fn next_item<T>(
        &mut self,
        take: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> Option<Result<FramedItem<'_, T>, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        match self.advance(take) {
            Ok(Some(Advance::Taken(taken))) => Some(Ok(FramedItem::Taken(taken))),
            Ok(Some(Advance::Split)) => Some(Ok(FramedItem::Split(self.chunks.piece()))),
            Ok(None) => None,
            Err(error) => Some(Err(self.failed.insert(error).clone())),
        }
    }

    /// A member beside the items, if it has come already.
    pub fn member(&self, key: &str) -> Option<&[u8]> {
        find(&self.members, key)
    }

    /// All has been read. Only a list that was read to its closing brace, with nothing behind it, is one.
    pub fn finish(&mut self) -> Result<ListFrame, StreamError> {
        self.end_of_body();
        if self.next_item(|_| None::<((), usize)>).is_some() && self.failed.is_none() {
            return Err(StreamError::NotJson("items were not read".to_owned()));
        }
        match &self.failed {
            Some(error) => Err(error.clone()),
            None if self.list.is_closed() => {
                Ok(ListFrame { members: std::mem::take(&mut self.members), has_items: self.items_seen })
            }
            None => Err(StreamError::CutFrame),
        }
    }

    /// Reads on to the end of the next item; `None` if the chunk ends before it.
    fn advance<T>(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> Result<Option<Advance<T>>, StreamError> {
        loop {
            if let Some(items) = &mut self.items {
                let mark = if self.chunks.is_gathering() {
                    Some(Mark::ValueStart(self.chunks.place()))
                } else {
                    self.chunks.next_mark(items)?
                };
                match mark {
                    Some(Mark::ValueStart(at)) => {
                        if self.next.is_none() {
                            self.next = Ending::next_item(self.chunks.from(at));
                        }
                        let object = self.chunks.is_gathering() || self.chunks.byte(at) == Some(b'{');
                        let next = self.next.as_ref().filter(|_| object);
                        match self.chunks.one_pass(at, next, &mut take) {
                            OnePass::Read(taken) => {
                                items.value_done();
                                return Ok(Some(Advance::Taken(taken)));
                            }
                            OnePass::More => return Ok(None),
                            OnePass::Refused(at) => {
                                // The first byte of the value was read with the mark.
                                self.chunks.skip_to(at + 1);
                                self.chunks.begin(at);
                            }
                        }
                    }
                    Some(Mark::ValueEnd(at)) => {
                        self.chunks.end(at).map_err(|_| self.too_big())?;
                        return Ok(Some(Advance::Split));
                    }
                    Some(Mark::Close(_)) => {
                        self.items = None;
                        self.list.value_done();
                    }
                    Some(_) => {}
                    None => return self.used_up(),
                }
            } else if self.list.is_closed() {
                if !self.chunks.is_read() {
                    return Err(Malformed::new("something follows the end of the list").into());
                }
                return self.used_up();
            } else {
                match self.chunks.next_mark(&mut self.list)? {
                    Some(mark) => self.top_level(mark)?,
                    None => return self.used_up(),
                }
            }
        }
    }

    fn top_level(&mut self, mark: Mark) -> Result<(), StreamError> {
        match mark {
            Mark::KeyStart(at) => {
                self.reading = ListReading::Key;
                self.chunks.begin(at);
            }
            Mark::KeyEnd(at) => {
                self.chunks.end(at).map_err(|_| self.too_big())?;
                let key: String = serde_json::from_slice(self.chunks.piece())?;
                let twice = if key == "items" { self.items_seen } else { self.member(&key).is_some() };
                if twice {
                    return Err(Malformed::new("a member of the list stands there twice").into());
                }
                self.reading = ListReading::ValueOf(key);
            }
            Mark::ValueStart(at) => {
                if matches!(&self.reading, ListReading::ValueOf(key) if key == "items") {
                    self.items_seen = true;
                    if self.chunks.byte(at) == Some(b'[') {
                        self.reading = ListReading::Nothing;
                        self.items = Some(ChunkedMembers::of_open_array());
                        return Ok(());
                    }
                }
                self.chunks.begin(at);
            }
            Mark::ValueEnd(at) => {
                let key = match std::mem::replace(&mut self.reading, ListReading::Nothing) {
                    ListReading::ValueOf(key) => key,
                    ListReading::Key | ListReading::Nothing => String::new(),
                };
                self.chunks.end(at).map_err(|_| self.too_big())?;
                let value = self.chunks.piece();
                json::check(value)?;
                if key == "items" {
                    return match value {
                        b"null" => Ok(()),
                        _ => Err(StreamError::NotAList("items that are not an array".to_owned())),
                    };
                }
                self.beside += key.len() + value.len();
                self.members.push((key, value.to_vec()));
                if self.beside > self.chunks.limit() || self.members.len() > MOST_MEMBERS {
                    return Err(self.too_big());
                }
            }
            Mark::Open(_) | Mark::Close(_) => {}
        }
        Ok(())
    }

    fn used_up<T>(&mut self) -> Result<Option<T>, StreamError> {
        self.chunks.used_up().map_err(|_| self.too_big())?;
        Ok(None)
    }

    fn too_big(&self) -> StreamError {
        let key = self.items.as_ref().and_then(|_| object_key(self.chunks.beginning_of_oversize()));
        StreamError::TooBig { limit: self.chunks.limit(), key }
    }
}

#[cfg(test)]
mod tests;

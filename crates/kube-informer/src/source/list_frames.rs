//! The body of a list to its items, one by one while they stream in.
//!
//! A list of a hundred thousand objects is never held whole. The top level may come in any order: built-in kinds send
//! `metadata` first, custom resources send it after the items. What stands beside the items is small and collected.

use bytes::{Bytes, BytesMut};

use super::capture::Capture;
use super::frames::{MOST_MEMBERS, object_key};
use super::stream_error::StreamError;
use crate::json::{self, ChunkedMembers, Malformed, Mark, skip_space};

/// Splits the body of a list into its items.
#[derive(Debug)]
pub(crate) struct ListFrames {
    chunk: Bytes,
    /// How far the chunk has been read.
    at: usize,
    list: ChunkedMembers,
    /// The array of items, while it is being read.
    items: Option<ChunkedMembers>,
    capture: Capture,
    reading: ListReading,
    /// The members beside the items, checked to be JSON.
    members: Vec<(String, Vec<u8>)>,
    /// How many bytes they are.
    beside: usize,
    items_seen: bool,
    failed: Option<StreamError>,
}

/// Which piece is being captured.
#[derive(Debug, PartialEq)]
enum ListReading {
    Nothing,
    Key,
    /// A key has been read, its value comes next.
    ValueOf(String),
}

/// One item.
#[derive(Debug)]
pub(crate) enum FramedItem<'a, T> {
    /// What was made of it where it stood.
    Taken(T),
    /// Its JSON, or what has the brackets of it.
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
pub(crate) struct ListFrame {
    members: Vec<(String, Vec<u8>)>,
    /// Whether there was a member `items`, be it null.
    pub(crate) has_items: bool,
}

impl ListFrame {
    /// The JSON of a member.
    pub(crate) fn get(&self, key: &str) -> Option<&[u8]> {
        find(&self.members, key)
    }
}

fn find<'a>(members: &'a [(String, Vec<u8>)], key: &str) -> Option<&'a [u8]> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_slice())
}

impl ListFrames {
    /// With a limit for the size of one item, and for all that is not an item.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            chunk: Bytes::new(),
            at: 0,
            list: ChunkedMembers::of_object(),
            items: None,
            capture: Capture::new(limit),
            reading: ListReading::Nothing,
            members: Vec::new(),
            beside: 0,
            items_seen: false,
            failed: None,
        }
    }

    /// Takes in the next chunk. The items of the last one should have been read.
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

    /// The next whole item; `None` if more bytes are needed. After an error nothing comes.
    ///
    /// `take` is shown what has come of an item from its beginning on, and what comes behind it. If it can make something
    /// of the item, it says what and how long the item is; else the item is split off.
    pub(crate) fn next_item<T>(
        &mut self,
        take: impl FnMut(&[u8]) -> Option<(T, usize)>,
    ) -> Option<Result<FramedItem<'_, T>, StreamError>> {
        if self.failed.is_some() {
            return None;
        }
        match self.advance(take) {
            Ok(Some(Advance::Taken(taken))) => Some(Ok(FramedItem::Taken(taken))),
            Ok(Some(Advance::Split)) => Some(Ok(FramedItem::Split(self.capture.piece(&self.chunk)))),
            Ok(None) => None,
            Err(error) => Some(Err(self.failed.insert(error).clone())),
        }
    }

    /// A member beside the items, if it has come already.
    pub(crate) fn member(&self, key: &str) -> Option<&[u8]> {
        find(&self.members, key)
    }

    /// The body has ended. Only a list that was read to its closing brace, with nothing behind it, is one.
    pub(crate) fn finish(&mut self) -> Result<ListFrame, StreamError> {
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
                match items.next_mark(&self.chunk, &mut self.at)? {
                    Some(Mark::ValueStart(at)) => {
                        let limit = self.capture.limit();
                        let rest = self.chunk.get(at..).unwrap_or_default();
                        if let Some((taken, length)) = take(rest.get(..limit).unwrap_or(rest)) {
                            items.value_done();
                            self.at = at + length;
                            return Ok(Some(Advance::Taken(taken)));
                        }
                        self.capture.begin(at);
                    }
                    Some(Mark::ValueEnd(at)) => {
                        self.capture.end(&self.chunk, at).map_err(|_| self.too_big())?;
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
                self.at = skip_space(&self.chunk, self.at);
                if self.at < self.chunk.len() {
                    return Err(Malformed::new("something follows the end of the list").into());
                }
                return self.used_up();
            } else {
                match self.list.next_mark(&self.chunk, &mut self.at)? {
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
                self.capture.begin(at);
            }
            Mark::KeyEnd(at) => {
                self.capture.end(&self.chunk, at).map_err(|_| self.too_big())?;
                let key: String = serde_json::from_slice(self.capture.piece(&self.chunk))?;
                let twice = if key == "items" { self.items_seen } else { self.member(&key).is_some() };
                if twice {
                    return Err(Malformed::new("a member of the list stands there twice").into());
                }
                self.reading = ListReading::ValueOf(key);
            }
            Mark::ValueStart(at) => {
                if self.reading == ListReading::ValueOf("items".to_owned()) {
                    self.items_seen = true;
                    if self.chunk.get(at) == Some(&b'[') {
                        self.reading = ListReading::Nothing;
                        self.items = Some(ChunkedMembers::of_open_array());
                        return Ok(());
                    }
                }
                self.capture.begin(at);
            }
            Mark::ValueEnd(at) => {
                let key = match std::mem::replace(&mut self.reading, ListReading::Nothing) {
                    ListReading::ValueOf(key) => key,
                    ListReading::Key | ListReading::Nothing => String::new(),
                };
                self.capture.end(&self.chunk, at).map_err(|_| self.too_big())?;
                let value = self.capture.piece(&self.chunk);
                json::check(value)?;
                if key == "items" {
                    return match value {
                        b"null" => Ok(()),
                        _ => Err(StreamError::NotAList("items that are not an array".to_owned())),
                    };
                }
                self.beside += key.len() + value.len();
                self.members.push((key, value.to_vec()));
                if self.beside > self.capture.limit() || self.members.len() > MOST_MEMBERS {
                    return Err(self.too_big());
                }
            }
            Mark::Open(_) | Mark::Close(_) => {}
        }
        Ok(())
    }

    fn used_up<T>(&mut self) -> Result<Option<T>, StreamError> {
        self.capture.carry(&self.chunk).map_err(|_| self.too_big())?;
        self.chunk = Bytes::new();
        self.at = 0;
        Ok(None)
    }

    fn too_big(&self) -> StreamError {
        let key = self.items.as_ref().and_then(|_| object_key(self.capture.seen()));
        StreamError::TooBig { limit: self.capture.limit(), key }
    }
}

#[cfg(test)]
#[path = "list_frames_tests.rs"]
mod tests;

//! Divides the body of an answer into documents that can be looked through one by one, wherever its chunks begin and end.

use std::ops::Range;

use informer_wire::json::{ChunkedMembers, Mark, string_is};

use crate::record::{Hidden, Why};
use crate::redact::{About, is_list_of_secrets, redact};

/// A larger document is not looked through, and so not kept.
const LARGEST: usize = 64 << 20;

/// The memory of a document is used again for the next one, up to this size.
const REUSED: usize = 1 << 20;

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One JSON document after the other: a watch.
    Events,
    /// One document with a member `items`, which may be long.
    List,
    /// One document that is looked at when it is complete.
    Document,
}

/// What can be written down.
#[derive(Debug, PartialEq)]
pub(crate) enum Piece {
    /// Whole documents without secrets, and what stands between them.
    Shown(Vec<u8>),
    Hidden(Hidden),
}

/// Takes chunks, gives back what is complete and without secrets.
pub(crate) struct Splitter {
    form: Form,
    about: About,
    part: Part,
    document: ChunkedMembers,
    /// The items of the list, while they come.
    items: Option<ChunkedMembers>,
    /// Whether a document or an item has begun, so that bytes are held and not given out.
    is_within: bool,
    /// Where the last key of a list's own members stands in what is held.
    key: Range<usize>,
    /// The document that is not complete yet.
    held: Vec<u8>,
    /// How long it is, also if it is too large to be held.
    length: usize,
    /// How many bytes have come, and how many of them have been given out or hidden.
    fed: usize,
    settled: usize,
    out: Vec<Piece>,
    documents: u64,
    largest: usize,
}

/// Which part of a body comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A document that is given out as a whole, or what stands before the next one.
    Whole,
    /// The members of a list before its items.
    Head,
    /// The items, and what stands between them.
    Items,
    /// What follows the items: the bracket that ends them and the other members.
    Tail,
    /// Something that is not JSON has come: nothing more is kept.
    Lost,
}

impl Splitter {
    pub(crate) fn new(form: Form, about: About) -> Self {
        Self::with_limit(form, about, LARGEST)
    }

    fn with_limit(form: Form, about: About, largest: usize) -> Self {
        Self {
            form,
            about,
            part: if form == Form::List { Part::Head } else { Part::Whole },
            document: ChunkedMembers::of_object(),
            items: None,
            is_within: false,
            key: 0..0,
            held: Vec::new(),
            length: 0,
            fed: 0,
            settled: 0,
            out: Vec::new(),
            documents: 0,
            largest,
        }
    }

    /// How many events, items and other documents were complete.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    /// Takes a chunk; what is complete with it.
    pub(crate) fn take(&mut self, chunk: &[u8]) -> Vec<Piece> {
        self.fed += chunk.len();
        if self.part == Part::Lost {
            self.hide(chunk.len(), Why::NotJson);
        } else if self.form == Form::Document {
            self.hold(chunk);
        } else if !self.walk(chunk) {
            self.lose();
        }
        std::mem::take(&mut self.out)
    }

    /// The body has ended: what there is of an unfinished document cannot be kept.
    pub(crate) fn end(&mut self, complete: bool) -> Vec<Piece> {
        let length = std::mem::take(&mut self.length);
        let document = std::mem::take(&mut self.held);
        if length > 0 && self.form == Form::Document {
            match (redact(&document, self.about), document.len() == length) {
                (_, false) => self.hide(length, Why::TooLarge),
                (Some(shown), _) => {
                    self.documents += 1;
                    self.show(&shown, length);
                }
                (None, _) if complete => self.hide(length, Why::NotJson),
                (None, _) => self.hide(length, Why::Cut),
            }
        } else {
            self.hide(length, Why::Cut);
        }
        std::mem::take(&mut self.out)
    }

    /// Goes from mark to mark; false if the chunk is not JSON at some place.
    fn walk(&mut self, chunk: &[u8]) -> bool {
        let (mut at, mut passed) = (0, 0);
        loop {
            let members = self.items.as_mut().unwrap_or(&mut self.document);
            match members.next_mark(chunk, &mut at) {
                Ok(Some(mark)) if self.mark(mark, chunk, &mut passed) => {}
                Ok(Some(_)) => return false,
                Ok(None) => {
                    self.pass(chunk, &mut passed, chunk.len());
                    return true;
                }
                Err(_) => {
                    // Of half a document nothing stays.
                    if !self.is_within {
                        self.pass(chunk, &mut passed, at);
                    }
                    return false;
                }
            }
        }
    }

    /// Takes note of a place where something begins or ends; false if what ends there is not JSON.
    fn mark(&mut self, mark: Mark, chunk: &[u8], passed: &mut usize) -> bool {
        let in_items = self.part == Part::Items;
        match mark {
            Mark::Open(at) => {
                self.pass(chunk, passed, at);
                self.is_within = true;
            }
            Mark::KeyStart(at) => {
                self.pass(chunk, passed, at);
                self.key = self.length..self.length;
            }
            Mark::KeyEnd(at) => {
                self.pass(chunk, passed, at);
                self.key.end = self.length;
            }
            Mark::ValueStart(at) if in_items => {
                self.pass(chunk, passed, at);
                self.is_within = true;
            }
            Mark::ValueStart(at) => {
                if self.part == Part::Head && self.is_key_of_items() && chunk.get(at) == Some(&b'[') {
                    self.pass(chunk, passed, at + 1);
                    return self.begin_items();
                }
            }
            Mark::ValueEnd(at) if in_items => {
                self.pass(chunk, passed, at);
                self.is_within = false;
                return self.flush(b"", b"");
            }
            Mark::ValueEnd(_) => {}
            Mark::Close(at) if in_items => {
                // The bracket belongs to the tail, which is looked through as the end of an empty list.
                self.pass(chunk, passed, at - 1);
                self.is_within = true;
                self.items = None;
                self.document.value_done();
                self.part = Part::Tail;
            }
            Mark::Close(at) => {
                self.pass(chunk, passed, at);
                self.is_within = false;
                let before: &[u8] = if self.part == Part::Tail { b"{\"items\":[" } else { b"" };
                // A list has only one; what follows it can only be white space.
                self.part = Part::Whole;
                self.document = ChunkedMembers::of_object();
                return self.flush(before, b"");
            }
        }
        true
    }

    /// Holds or gives out the bytes up to a place.
    fn pass(&mut self, chunk: &[u8], passed: &mut usize, end: usize) {
        let bytes = chunk.get(*passed..end).unwrap_or_default();
        *passed = end;
        if self.is_within {
            self.hold(bytes);
        } else if !bytes.is_empty() {
            self.show(bytes, bytes.len());
        }
    }

    fn is_key_of_items(&self) -> bool {
        self.held.get(self.key.clone()).is_some_and(|key| string_is(key, "items"))
    }

    fn begin_items(&mut self) -> bool {
        self.part = Part::Items;
        self.items = Some(ChunkedMembers::of_open_array());
        self.is_within = false;
        // Its items do not say what they are, and the path may not.
        self.about.sensitive |=
            self.held.len() < self.length || is_list_of_secrets(&[&self.held, &b"]}"[..]].concat());
        self.flush(b"", b"]}")
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.length <= self.largest {
            self.held.extend_from_slice(bytes);
        }
    }

    /// Gives out the document that is complete. What it lacks to be JSON by itself stands before and after it.
    fn flush(&mut self, before: &[u8], after: &[u8]) -> bool {
        let length = std::mem::take(&mut self.length);
        let mut whole = std::mem::take(&mut self.held);
        if whole.len() < length {
            self.hide(length, Why::TooLarge);
            return true;
        }
        let is_document = before.is_empty() && after.is_empty();
        if !is_document {
            whole = [before, &whole, after].concat();
        }
        let Some(shown) = redact(&whole, self.about) else { return false };
        self.documents += u64::from(is_document);
        self.show(&shown[before.len()..shown.len() - after.len()], length);
        // The next one is of about the same size.
        if whole.capacity() <= REUSED {
            whole.clear();
            self.held = whole;
        }
        true
    }

    /// Nothing more of this body is kept, nor what is held of it.
    fn lose(&mut self) {
        (self.held, self.length) = (Vec::new(), 0);
        self.part = Part::Lost;
        self.hide(self.fed - self.settled, Why::NotJson);
    }

    /// Gives out bytes in the place of so many that have come.
    fn show(&mut self, bytes: &[u8], length: usize) {
        self.settled += length;
        match self.out.last_mut() {
            Some(Piece::Shown(shown)) => shown.extend_from_slice(bytes),
            _ => self.out.push(Piece::Shown(bytes.to_vec())),
        }
    }

    fn hide(&mut self, length: usize, why: Why) {
        self.settled += length;
        if length > 0 {
            self.out.push(Piece::Hidden(Hidden { bytes: length as u64, why }));
        }
    }
}

#[cfg(test)]
mod tests;

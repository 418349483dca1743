//! Divides the body of an answer into documents that can be looked through one by one, wherever its chunks begin and end.

mod scan;

use self::scan::{Scan, Seen};
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
    place: Place,
    scan: Scan,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Between the documents of a watch, or before the only one.
    Between,
    /// In a document that ends with its bracket.
    Within,
    /// Before the items of a list.
    Head,
    /// Between two items.
    BetweenItems,
    /// In an item.
    Item,
    /// After the items.
    Tail,
    /// After something that is not JSON: nothing more is kept.
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
            place: if form == Form::List { Place::Head } else { Place::Between },
            scan: Scan::default(),
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
        match (self.form, self.place) {
            (_, Place::Lost) => self.hide(chunk.len(), Why::NotJson),
            (Form::Document, _) => self.hold(chunk),
            (Form::Events | Form::List, _) => {
                if !self.steps(chunk) {
                    self.lose();
                }
            }
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

    /// Takes bytes; false if one cannot stand here in JSON.
    fn steps(&mut self, mut bytes: &[u8]) -> bool {
        while let Some(first) = bytes.first() {
            // Most bytes are those of texts, which end nothing.
            let within = self.scan.within_string(bytes);
            match within {
                0 if !self.step(*first) => return false,
                0 => bytes = &bytes[1..],
                _ => {
                    self.hold(&bytes[..within]);
                    bytes = &bytes[within..];
                }
            }
        }
        true
    }

    /// Takes a byte; false if it cannot stand here in JSON.
    fn step(&mut self, byte: u8) -> bool {
        match self.place {
            Place::Between | Place::BetweenItems if byte.is_ascii_whitespace() => self.show(&[byte], 1),
            Place::Between => {
                if byte != b'{' {
                    return false;
                }
                self.place = Place::Within;
                return self.step(byte);
            }
            Place::BetweenItems => match byte {
                b',' => self.show(b",", 1),
                b']' => {
                    // The bracket belongs to the tail, which is looked through as the end of an empty list.
                    self.place = Place::Tail;
                    self.scan.close_list();
                    self.hold(&[byte]);
                }
                _ => {
                    self.place = Place::Item;
                    return self.step(byte);
                }
            },
            Place::Item if self.scan.is_value_over(byte) => {
                self.place = Place::BetweenItems;
                self.scan.begin_value();
                return self.flush(b"", b"") && self.step(byte);
            }
            Place::Within | Place::Head | Place::Item | Place::Tail => {
                self.hold(&[byte]);
                match self.scan.take(byte) {
                    Seen::Nothing => {}
                    Seen::Items if self.place == Place::Head => {
                        self.place = Place::BetweenItems;
                        // Its items do not say what they are, and the path may not.
                        self.about.sensitive |= self.held.len() < self.length
                            || is_list_of_secrets(&[&self.held, &b"]}"[..]].concat());
                        return self.flush(b"", b"]}");
                    }
                    Seen::Items => {}
                    Seen::ValueOver if self.place == Place::Item => {
                        self.place = Place::BetweenItems;
                        return self.flush(b"", b"");
                    }
                    Seen::ValueOver => {}
                    Seen::DocumentOver => {
                        let before: &[u8] = if self.place == Place::Tail { b"{\"items\":[" } else { b"" };
                        // A list has only one; what follows it can only be white space.
                        self.place = Place::Between;
                        self.scan = Scan::default();
                        return self.flush(before, b"");
                    }
                    Seen::Wrong => return false,
                }
            }
            Place::Lost => return false,
        }
        true
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
        self.place = Place::Lost;
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

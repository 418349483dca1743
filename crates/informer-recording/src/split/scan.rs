//! Where documents and items end, byte by byte.

/// Follows JSON byte by byte, as far as it takes to know where documents and items end. Whether they are JSON is found out
/// when they are looked through. Half an event that others follow is noticed when the next or the second comes, as informers
/// do: a replay is to lead them to the same.
#[derive(Default)]
pub(super) struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The last byte outside of strings that is no white space, or the quote of a string.
    before: u8,
    /// The last string at the level of a document's members, as far as it is needed.
    last: Vec<u8>,
    /// Whether `"items":` has just been read there.
    expects_items: bool,
    /// The level of the items, once these have begun.
    items: Option<usize>,
    /// Whether an item is a number or a word, which ends with what follows it.
    is_bare: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// The bracket after `"items":` of the document.
    Items,
    /// The end of an item.
    ValueOver,
    /// The end of the document.
    DocumentOver,
    /// Something that cannot stand here.
    Wrong,
}

impl Scan {
    /// Whether a bare item has ended before this byte.
    pub(super) fn is_value_over(&self, byte: u8) -> bool {
        self.is_bare && (byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}'))
    }

    /// The next item is another one.
    pub(super) fn begin_value(&mut self) {
        self.is_bare = false;
    }

    /// The bracket that ends the items was read.
    pub(super) fn close_list(&mut self) {
        self.items = None;
        self.depth = 1;
        self.is_bare = false;
    }

    /// How many of the next bytes only belong to a text, so that nothing ends with them and nothing has to be kept of them.
    pub(super) fn within_string(&self, bytes: &[u8]) -> usize {
        if !self.in_string || self.escaped || self.depth == 1 {
            return 0;
        }
        memchr::memchr3(b'"', b'\\', b'\n', bytes).unwrap_or(bytes.len())
    }

    pub(super) fn take(&mut self, byte: u8) -> Seen {
        if self.in_string {
            return self.string(byte);
        }
        if byte.is_ascii_whitespace() {
            return Seen::Nothing;
        }
        let before = std::mem::replace(&mut self.before, byte);
        // Commas between items are not seen here.
        let is_inside = self.depth > 0 && self.items.is_none();
        let begins = matches!(byte, b'"' | b'{' | b'[');
        if is_inside && begins && !matches!(before, b'{' | b'[' | b',' | b':') {
            return Seen::Wrong;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.last.clear();
            }
            b'{' | b'[' => {
                self.depth += 1;
                if byte == b'[' && self.depth == 2 && std::mem::take(&mut self.expects_items) {
                    self.items = Some(self.depth);
                    return Seen::Items;
                }
            }
            b'}' | b']' => {
                let Some(depth) = self.depth.checked_sub(1) else { return Seen::Wrong };
                self.depth = depth;
                if self.items == Some(depth) {
                    return Seen::ValueOver;
                }
                if depth == 0 {
                    return Seen::DocumentOver;
                }
            }
            b':' => {
                self.expects_items = self.depth == 1 && self.last == b"items";
                return Seen::Nothing;
            }
            _ if self.items == Some(self.depth) => self.is_bare = true,
            _ if self.depth == 0 => return Seen::Wrong,
            _ => {}
        }
        self.expects_items = false;
        Seen::Nothing
    }

    fn string(&mut self, byte: u8) -> Seen {
        match byte {
            b'\n' => return Seen::Wrong,
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                if self.items == Some(self.depth) {
                    return Seen::ValueOver;
                }
                return Seen::Nothing;
            }
            _ => {}
        }
        // No more than it takes to tell the name that matters from others.
        if self.depth == 1 && self.last.len() < 8 {
            self.last.push(byte);
        }
        Seen::Nothing
    }
}

//! How to see that a document is probably whole, without parsing it.
//!
//! A document that comes in several chunks is put together first and parsed once. When to parse it is what an [`Ending`]
//! tells, at the price of a search for a few bytes. It may be wrong in both directions: what is parsed too early, or is not
//! found at all, is split off byte by byte instead.

use memchr::memmem::Finder;

/// How much of an item is looked at for its metadata.
const HEAD: usize = 256;

/// How the metadata of an item begins.
const METADATA: &[u8] = br#""metadata":{"#;

/// Some bytes that stand behind the documents of a body, and hardly ever within one.
#[derive(Debug)]
pub struct Ending {
    mark: EndMark,
    /// How many bytes were searched.
    #[cfg(test)]
    pub searched: std::sync::atomic::AtomicUsize,
}

#[derive(Debug)]
enum EndMark {
    Line,
    /// Large, and only lists have one.
    NextItem(Box<Finder<'static>>),
}

impl Ending {
    fn new(mark: EndMark) -> Self {
        Self {
            mark,
            #[cfg(test)]
            searched: 0.into(),
        }
    }

    /// Servers end every event of a watch with a line break. Should one be missing, the event does not wait for the next.
    pub fn line() -> Self {
        Self::new(EndMark::Line)
    }

    /// The items of a list begin alike up to their metadata: `{"metadata":{`, or with kind and apiVersion before it. Behind
    /// a comma that is where the next one begins. `None` if this one begins in another way.
    pub fn next_item(item: &[u8]) -> Option<Self> {
        let head = item.get(..HEAD).unwrap_or(item);
        let start = memchr::memmem::find(head, METADATA).filter(|_| head.starts_with(b"{"))?;
        let mark = [b",", head.get(..start + METADATA.len())?].concat();
        Some(Self::new(EndMark::NextItem(Box::new(Finder::new(&mark).into_owned()))))
    }

    /// Whether the document at the beginning of these bytes probably ends within them.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        bytes.ends_with(b"\n") || self.may_be_behind(bytes) || self.find(bytes).is_some()
    }

    /// Whether a document may end with these bytes although nothing stands behind it. Events end with two closing brackets. One
    /// bracket alone counts as well, because what came before it is not known here.
    pub fn may_be_behind(&self, bytes: &[u8]) -> bool {
        matches!(self.mark, EndMark::Line)
            && match bytes.trim_ascii_end() {
                [b'}'] => true,
                [.., before, b'}'] => *before == b'}' || before.is_ascii_whitespace(),
                _ => false,
            }
    }

    /// The place behind the first mark.
    pub fn find(&self, bytes: &[u8]) -> Option<usize> {
        #[cfg(test)]
        self.searched.fetch_add(bytes.len(), std::sync::atomic::Ordering::Relaxed);
        let start = match &self.mark {
            EndMark::Line => memchr::memchr(b'\n', bytes),
            EndMark::NextItem(mark) => mark.find(bytes),
        };
        start.map(|start| start + self.length())
    }

    /// The place behind the first mark in `new`, which may begin in what was `held` before. There is none in `held` alone.
    pub fn find_on(&self, held: &[u8], new: &[u8]) -> Option<usize> {
        let overlap = self.length() - 1;
        let before = held.get(held.len().saturating_sub(overlap)..).unwrap_or_default();
        if !before.is_empty() {
            let seam = [before, new.get(..overlap).unwrap_or(new)].concat();
            if let Some(end) = self.find(&seam) {
                return Some(end - before.len());
            }
        }
        self.find(new)
    }

    fn length(&self) -> usize {
        match &self.mark {
            EndMark::Line => 1,
            EndMark::NextItem(mark) => mark.needle().len(),
        }
    }
}

#[cfg(test)]
mod tests;

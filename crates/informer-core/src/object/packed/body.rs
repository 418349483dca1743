//! The bytes of an object, packed with zstd where that pays, or as changes of another's.

use std::cell::Cell;
use std::hint::black_box;
use std::mem;
use std::sync::Arc;

use informer_wire::json;
use parking_lot::Mutex;
use zstd_safe::{CCtx, CParameter, DCtx, DDict, DParameter, DictAttachPref, FrameFormat};

use crate::object::origin::Origin;
use crate::object::packed::base::Base;
use crate::object::packed::edits;

/// The fastest of the levels that compress well: the dictionary does most of the work.
const LEVEL: i32 = 1;

/// Buffers larger than this are not kept for the next object.
const KEEP: usize = 1 << 20;

/// The JSON of an object without its managedFields.
pub(crate) enum Body {
    /// Not packed.
    Plain(Box<[u8]>),
    /// Packed by itself.
    Packed(Frame),
    /// What is different in it from a document that it shares with others, or may share.
    Edited {
        /// The document.
        base: Arc<Base>,
        /// The changes.
        edits: Box<[u8]>,
        /// How long the JSON is.
        len: u32,
    },
}

/// A bare zstd frame.
pub(crate) struct Frame {
    bytes: Box<[u8]>,
    /// How long the JSON is.
    len: u32,
    /// What it was packed with, and is needed to unpack it.
    dictionary: Option<Arc<Dictionary>>,
}

impl Frame {
    /// How many bytes it takes in memory.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// How long the JSON is.
    pub(crate) fn json_len(&self) -> usize {
        usize::try_from(self.len).unwrap_or(usize::MAX)
    }

    /// Writes the JSON into a buffer. False happens only if memory has run out or was overwritten.
    pub(crate) fn expand(&self, into: &mut Vec<u8>) -> bool {
        let len = usize::try_from(self.len).unwrap_or_default();
        with_tools(|tools| tools.expand(&self.bytes, len, self.dictionary.as_deref(), into))
    }
}

/// What objects have in common, in the form that zstd needs. It holds parts of objects in plaintext.
pub(crate) struct Dictionary {
    bytes: Box<[u8]>,
    unpack: DDict<'static>,
    /// What packs with it and is free: as many as packed at the same time, which is nearly always one.
    free: Mutex<Vec<CCtx<'static>>>,
}

impl Dictionary {
    /// From bytes as the trainer makes them; `None` if zstd does not accept them.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let first = packing_with(Some(bytes))?;
        Some(Self { bytes: bytes.into(), unpack: DDict::try_create(bytes)?, free: Mutex::new(vec![first]) })
    }

    /// How many bytes it takes in memory.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn size(&self) -> usize {
        let packing: usize = self.free.lock().iter().map(CCtx::sizeof).sum();
        self.bytes.len() + self.unpack.sizeof() + packing
    }

    fn compress(&self, json: &[u8], into: &mut Vec<u8>) -> bool {
        let free = self.free.lock().pop();
        let Some(mut packing) = free.or_else(|| packing_with(Some(&self.bytes))) else { return false };
        let done = packing.compress2(into, json).is_ok();
        self.free.lock().push(packing);
        done
    }
}

/// What packs into bare frames: how long the JSON is and which dictionary it needs is known without them.
fn packing_with(dictionary: Option<&[u8]>) -> Option<CCtx<'static>> {
    let mut packing = CCtx::try_create()?;
    let parameters = [
        CParameter::CompressionLevel(LEVEL),
        CParameter::ContentSizeFlag(false),
        CParameter::DictIdFlag(false),
        CParameter::Format(FrameFormat::Magicless),
        // The tables of a dictionary are read where they lie. Left to itself zstd copies them for objects of more than 8 KB.
        CParameter::ForceAttachDict(DictAttachPref::ForceAttach),
    ];
    for parameter in parameters {
        packing.set_parameter(parameter).ok()?;
    }
    if let Some(dictionary) = dictionary {
        packing.load_dictionary(dictionary).ok()?;
    }
    Some(packing)
}

fn expander() -> Option<DCtx<'static>> {
    let mut expander = DCtx::try_create()?;
    expander.set_parameter(DParameter::Format(FrameFormat::Magicless)).ok()?;
    Some(expander)
}

impl Body {
    /// Packs the JSON of an object. What shrinks by less than a tenth is stored as it is.
    pub(crate) fn pack(json: &[u8], dictionary: Option<&Arc<Dictionary>>) -> Self {
        let packed = u32::try_from(json.len()).ok().and_then(|len| {
            let bytes = with_tools(|tools| tools.compress(json, dictionary.map(|dictionary| &**dictionary)))?;
            Some(Self::Packed(Frame { bytes, len, dictionary: dictionary.cloned() }))
        });
        packed.unwrap_or_else(|| Self::Plain(json.into()))
    }

    /// The JSON of an object as changes of a document, which `of` is. `None` if they take more than `limit` bytes.
    pub(crate) fn edit(base: &Arc<Base>, of: &[u8], json: &[u8], limit: usize) -> Option<Self> {
        let (limit, len) = (base.limit(json, limit)?, u32::try_from(json.len()).ok()?);
        Some(Self::Edited { base: base.clone(), edits: edits_of(of, json, limit)?, len })
    }

    /// The JSON of the next version of this object as changes. `None` if they take more than `limit` bytes, or if this one shares no
    /// document.
    pub(crate) fn next(&self, json: &[u8], limit: usize) -> Option<Self> {
        let Self::Edited { base, .. } = self else { return None };
        let (limit, len) = (base.limit(json, limit)?, u32::try_from(json.len()).ok()?);
        let edits = base.with_json(|plain| edits_of(plain?, json, limit))?;
        Some(Self::Edited { base: base.clone(), edits, len })
    }

    /// Whether the document that it is made of may be much larger than it would be by itself.
    pub(crate) fn is_doubtful(&self) -> bool {
        matches!(self, Self::Edited { base, edits, .. } if base.is_doubtful(edits))
    }

    /// Whether its document takes at most twice what it takes by itself, which is `packed`.
    pub(crate) fn is_worth_its_base(&self, packed: &Self) -> bool {
        !matches!(self, Self::Edited { base, .. } if base.size() > 2 * packed.size())
    }

    /// A packed body in the form that others can be stored as changes of, and what they are to share.
    pub(crate) fn shared(self, origin: &Arc<Origin>) -> (Self, Option<Arc<Base>>) {
        let Self::Packed(frame) = self else { return (self, None) };
        let (len, base) = (frame.len, Base::new(frame, origin));
        (Self::Edited { base: base.clone(), edits: Box::default(), len }, Some(base))
    }

    /// Hands the JSON to a function. May be nested.
    pub(crate) fn with_json<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        let base = match self {
            Self::Plain(bytes) => return read(bytes),
            Self::Edited { base, edits, .. } if edits.is_empty() => Some(base),
            Self::Packed(_) | Self::Edited { .. } => None,
        };
        if let Some(base) = base {
            return base.with_json(|json| read(json.unwrap_or_default()));
        }
        // The buffer is taken out of the thread's storage, not borrowed: `read` may unpack another body.
        let mut json = Buffer::new(false);
        if !self.expand(&mut json.bytes) {
            // Decoding empty JSON is an error, so it is noticed.
            json.bytes.clear();
        }
        read(&json.bytes)
    }

    /// Writes the JSON into an empty buffer.
    fn expand(&self, into: &mut Vec<u8>) -> bool {
        match self {
            Self::Plain(bytes) => {
                into.extend_from_slice(bytes);
                true
            }
            Self::Packed(frame) => frame.expand(into),
            Self::Edited { base, edits, .. } => {
                into.reserve(self.json_len());
                base.with_json(|plain| plain.is_some_and(|plain| edits::apply(plain, edits, into)))
                    && into.len() == self.json_len()
            }
        }
    }

    /// How long the JSON is.
    #[inline]
    pub(crate) fn json_len(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Packed(frame) => frame.json_len(),
            Self::Edited { len, .. } => usize::try_from(*len).unwrap_or(usize::MAX),
        }
    }

    /// Whether both hold the same JSON, in whatever order and with whatever white space and escapes it is written.
    pub(crate) fn same_json(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Packed(mine), Self::Packed(theirs))
                if mine.bytes == theirs.bytes
                    && mine.dictionary.as_ref().map(Arc::as_ptr)
                        == theirs.dictionary.as_ref().map(Arc::as_ptr) =>
            {
                true
            }
            (Self::Edited { base, edits: mine, .. }, Self::Edited { base: other, edits: theirs, .. })
                if Arc::ptr_eq(base, other) && mine == theirs =>
            {
                true
            }
            // Nothing is read of one that cannot be unpacked, and that is not the same as another such.
            _ => self.with_json(|mine| {
                mine.len() == self.json_len()
                    && other.with_json(|theirs| theirs.len() == other.json_len() && json::same(mine, theirs))
            }),
        }
    }

    /// How many bytes it keeps in memory, with all that it shares.
    #[inline]
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Edited { base, edits, .. } => base.size() + edits.len(),
            Self::Plain(_) | Self::Packed(_) => self.size(),
        }
    }

    /// How many bytes it takes in memory, besides what it shares.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Plain(bytes) | Self::Packed(Frame { bytes, .. }) | Self::Edited { edits: bytes, .. } => {
                bytes.len()
            }
        }
    }
}

fn edits_of(base: &[u8], json: &[u8], limit: usize) -> Option<Box<[u8]>> {
    let mut edits = Buffer::new(false);
    edits::write(base, json, limit, &mut edits.bytes).then(|| Box::from(&*edits.bytes))
}

/// What a thread needs to pack and unpack with zstd, made when first used: making it takes longer than packing an object.
#[derive(Default)]
struct Tools {
    compressor: Option<CCtx<'static>>,
    expander: Option<DCtx<'static>>,
    scratch: Vec<u8>,
}

impl Tools {
    /// `None` if it fails or does not pay.
    fn compress(&mut self, json: &[u8], dictionary: Option<&Dictionary>) -> Option<Box<[u8]>> {
        self.scratch.clear();
        self.scratch.reserve(zstd_safe::compress_bound(json.len()));
        let done = match dictionary {
            Some(dictionary) => dictionary.compress(json, &mut self.scratch),
            None => {
                if self.compressor.is_none() {
                    self.compressor = packing_with(None);
                }
                self.compressor.as_mut()?.compress2(&mut self.scratch, json).is_ok()
            }
        };
        let pays = done && self.scratch.len() <= json.len() - json.len() / 10;
        let packed = pays.then(|| Box::from(&*self.scratch));
        if self.scratch.capacity() > KEEP {
            self.scratch = Vec::new();
        }
        packed
    }

    fn expand(
        &mut self,
        packed: &[u8],
        len: usize,
        dictionary: Option<&Dictionary>,
        into: &mut Vec<u8>,
    ) -> bool {
        if self.expander.is_none() {
            self.expander = expander();
        }
        let Some(expander) = self.expander.as_mut() else { return false };
        into.clear();
        into.reserve(len);
        let result = match dictionary {
            Some(dictionary) => expander.decompress_using_ddict(into, packed, &dictionary.unpack),
            None => expander.decompress(into, packed),
        };
        result.is_ok() && into.len() == len
    }
}

thread_local! {
    static TOOLS: Cell<Tools> = Cell::default();
    static BUFFERS: Cell<Vec<Vec<u8>>> = const { Cell::new(Vec::new()) };
}

/// Runs with this thread's tools, or with new ones while the thread is being torn down.
fn with_tools<R>(work: impl FnOnce(&mut Tools) -> R) -> R {
    let mut tools = TOOLS.try_with(Cell::take).unwrap_or_default();
    let result = work(&mut tools);
    // This fails only while the thread ends, when there is no next object to keep the tools for.
    let _ = TOOLS.try_with(|cell| cell.set(tools));
    result
}

/// An empty buffer of this thread, large enough already for most objects. It is given back for the next object.
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    /// Whether the bytes are overwritten with zeros before another object gets the buffer.
    wipe: bool,
}

impl Buffer {
    pub(crate) fn new(sensitive: bool) -> Self {
        Self { bytes: take_buffer(), wipe: sensitive }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut bytes = mem::take(&mut self.bytes);
        if self.wipe {
            bytes.fill(0);
            // Without this the compiler may leave out zeros that are never read.
            black_box(&bytes);
        }
        give_buffer(bytes);
    }
}

fn take_buffer() -> Vec<u8> {
    let mut buffers = BUFFERS.try_with(Cell::take).unwrap_or_default();
    let mut buffer = buffers.pop().unwrap_or_default();
    buffer.clear();
    let _ = BUFFERS.try_with(|cell| cell.set(buffers));
    buffer
}

fn give_buffer(buffer: Vec<u8>) {
    let mut buffers = BUFFERS.try_with(Cell::take).unwrap_or_default();
    if buffer.capacity() <= KEEP && buffers.len() < 4 {
        buffers.push(buffer);
    }
    let _ = BUFFERS.try_with(|cell| cell.set(buffers));
}

#[cfg(test)]
impl Body {
    /// What it was packed with.
    pub(crate) fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        match self {
            Self::Plain(_) => None,
            Self::Packed(frame) => frame.dictionary.as_ref(),
            Self::Edited { base, .. } => base.frame().dictionary.as_ref(),
        }
    }
}

/// Whether the buffers of this thread still hold something.
#[cfg(any(test, feature = "testing"))]
pub fn buffers_hold(text: &[u8]) -> bool {
    let buffers = BUFFERS.take();
    let found = buffers.iter().any(|buffer| memchr::memmem::find(buffer, text).is_some());
    BUFFERS.set(buffers);
    found
}

#[cfg(test)]
mod tests;

//! The file around the records: a header, then zstd frames of whole records.
//!
//! The header is a frame that zstd skips, so `zstd -dc` shows the records of any recording.

use bytes::Bytes;
use zstd_safe::{CCtx, CParameter, DCtx};

use crate::record::Record;

/// The version of the format that this crate writes, and the newest that it reads.
pub(crate) const VERSION: u32 = 1;

/// zstd skips frames that begin with this.
const SKIPPED: u32 = 0x184D_2A50;

/// What the header says before the version.
const TITLE: &str = "kube-informer recording ";

/// No header is longer.
const LONGEST_HEADER: usize = 64;

/// What one frame may hold. A frame is written after 1 MiB, but a single record may be larger.
const LARGEST_FRAME: u64 = 512 << 20;

/// What all frames together may take in memory, and how much more for each byte of the file. What is recorded takes about ten
/// times as much as its file, and contents of Secrets, which were replaced with letters that are all the same, far more: nothing is
/// wrong with a file that takes more than this, so it is read up to here.
const LARGEST_WHOLE: u64 = 1 << 30;
const PER_BYTE: u64 = 64;

/// What a record takes beside its bytes. The shortest has eleven of them.
const PER_RECORD: u64 = 256;

const LEVEL: i32 = 3;

/// What is in a file.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) records: Vec<Record>,
    /// Whether the file ends in the middle of a frame. All records of the whole frames before are there.
    pub(crate) is_cut: bool,
    /// Whether there are more frames, which would take too much memory. All records of the frames before are there.
    pub(crate) is_too_large: bool,
}

/// Why a file cannot be read as a recording.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("it is not a recording of kube-informer")]
    NotARecording,
    #[error(
        "it has version {0} of the format, and this program reads up to version {VERSION}: use a newer one"
    )]
    Newer(u32),
    #[error("it is damaged at byte {at}: {problem}")]
    Damaged { at: usize, problem: String },
}

pub(crate) fn header() -> Vec<u8> {
    let text = format!("{TITLE}{VERSION}\n");
    let length = u32::try_from(text.len()).unwrap_or_default();
    [&SKIPPED.to_le_bytes()[..], &length.to_le_bytes(), text.as_bytes()].concat()
}

/// Packs records into frames.
pub(crate) struct Packer(CCtx<'static>);

impl Packer {
    pub(crate) fn new() -> Self {
        let mut context = CCtx::create();
        // Neither parameter can be refused: both are within their bounds.
        let _ = context.set_parameter(CParameter::CompressionLevel(LEVEL));
        let _ = context.set_parameter(CParameter::ChecksumFlag(true));
        Self(context)
    }

    /// A frame of records that are written one after the other.
    pub(crate) fn frame(&mut self, records: &[u8]) -> Result<Vec<u8>, String> {
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(records.len()));
        let packed = self.0.compress2(&mut frame, records);
        packed.map_err(|code| format!("cannot compress: {}", zstd_safe::get_error_name(code)))?;
        Ok(frame)
    }
}

/// Why a frame has no records.
enum NotUnpacked {
    /// It would take more memory than is left.
    TooMuch,
    Damaged(String),
}

/// Reads a file up to its last whole frame, or as far as it goes into memory.
pub(crate) fn read(file: &[u8]) -> Result<Contents, Unreadable> {
    read_within(file, LARGEST_WHOLE.saturating_add(PER_BYTE.saturating_mul(file.len() as u64)))
}

/// The same with a limit for what it takes in memory, which a few bytes in a file could make any.
fn read_within(file: &[u8], mut left: u64) -> Result<Contents, Unreadable> {
    let mut contents = Contents { records: Vec::new(), is_cut: false, is_too_large: false };
    let Some(mut at) = after_header(file)? else {
        contents.is_cut = true;
        return Ok(contents);
    };
    let mut unpacker = DCtx::create();
    while at < file.len() {
        let damaged = |problem: String| Unreadable::Damaged { at, problem };
        let length = match zstd_safe::find_frame_compressed_size(&file[at..]) {
            Ok(length) => length,
            Err(code) if is_too_short(code) => {
                contents.is_cut = true;
                break;
            }
            Err(code) => return Err(damaged(zstd_safe::get_error_name(code).to_owned())),
        };
        let frame = file.get(at..at + length).ok_or_else(|| damaged("a frame without an end".to_owned()))?;
        let mut records = match unpack(&mut unpacker, frame, left) {
            Ok(records) => records,
            Err(NotUnpacked::Damaged(problem)) => return Err(damaged(problem)),
            Err(NotUnpacked::TooMuch) => {
                contents.is_too_large = true;
                break;
            }
        };
        left = left.saturating_sub(records.len() as u64);
        let whole = contents.records.len();
        while !records.is_empty() {
            let record = Record::read(&mut records).map_err(|bad| damaged(bad.to_string()))?;
            let Some(less) = left.checked_sub(PER_RECORD) else {
                contents.records.truncate(whole);
                contents.is_too_large = true;
                return Ok(contents);
            };
            left = less;
            contents.records.push(record);
        }
        at += length;
    }
    Ok(contents)
}

/// Where the frames begin. `None` if the file ends before that.
fn after_header(file: &[u8]) -> Result<Option<usize>, Unreadable> {
    let ours = header();
    let begins = |with: &[u8]| file.iter().zip(with).all(|(a, b)| a == b);
    // Up to the length, which may be another one in a later version.
    if !begins(&ours[..4]) {
        return Err(Unreadable::NotARecording);
    }
    let (Some(length), true) = (file.get(4..8), file.len() >= 8) else { return Ok(None) };
    let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
    if length > LONGEST_HEADER {
        return Err(Unreadable::NotARecording);
    }
    let text = &file[8..file.len().min(8 + length)];
    if !text.iter().zip(TITLE.as_bytes()).all(|(a, b)| a == b) {
        return Err(Unreadable::NotARecording);
    }
    if text.len() < length {
        return Ok(None);
    }
    let version = std::str::from_utf8(text).ok().and_then(|text| text.strip_prefix(TITLE));
    let version = version.and_then(|version| version.strip_suffix('\n')).and_then(|text| text.parse().ok());
    match version {
        Some(version) if version > VERSION => Err(Unreadable::Newer(version)),
        Some(VERSION) => Ok(Some(8 + length)),
        _ => Err(Unreadable::NotARecording),
    }
}

fn unpack(unpacker: &mut DCtx<'_>, frame: &[u8], left: u64) -> Result<Bytes, NotUnpacked> {
    let damaged = |problem: &str| NotUnpacked::Damaged(problem.to_owned());
    let length = zstd_safe::get_frame_content_size(frame).ok().flatten();
    let length = length.filter(|length| *length <= LARGEST_FRAME);
    if length.is_some_and(|length| length > left) {
        return Err(NotUnpacked::TooMuch);
    }
    let length = length.and_then(|length| usize::try_from(length).ok());
    let mut records = Vec::with_capacity(length.ok_or_else(|| damaged("a frame of an unlikely size"))?);
    let unpacked = unpacker.decompress(&mut records, frame);
    unpacked.map_err(|code| damaged(zstd_safe::get_error_name(code)))?;
    Ok(records.into())
}

/// Whether zstd says that more bytes are needed. It has no other way to tell than the name of the error.
fn is_too_short(code: usize) -> bool {
    zstd_safe::get_error_name(code) == "Src size is incorrect"
}

#[cfg(test)]
mod tests;

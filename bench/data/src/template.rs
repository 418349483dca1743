//! Bytes with holes.

use crate::fill::Identity;
use crate::hole::{self, Hole};

/// How an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON without the opening brace, so that `kind` and `apiVersion` may be put before it.
    Json,
    /// The bare protobuf message.
    Protobuf,
    /// The metadata alone, JSON without the opening brace.
    Metadata,
}

/// The bytes of one app's objects.
#[derive(Debug)]
pub(crate) struct Template {
    bytes: Vec<u8>,
    holes: Vec<Hole>,
}

impl Template {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let holes = hole::find(&bytes);
        Self { bytes, holes }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn render(&self, identity: &Identity, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.bytes);
        let written = &mut out[start..];
        for hole in &self.holes {
            identity.fill(*hole, &mut written[hole.at..hole.at + hole.width]);
        }
    }
}

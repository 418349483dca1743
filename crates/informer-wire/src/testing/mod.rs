//! Objects and bodies for the tests and benchmarks of all crates.

mod benchmark_pod;

use bytes::Bytes;

pub use benchmark_pod::benchmark_pod;

/// The chunks of a body, and then its end.
pub fn to_the_end(chunks: Vec<Bytes>) -> impl Iterator<Item = Option<Bytes>> {
    chunks.into_iter().map(Some).chain([None])
}

/// The same bytes in chunks of one size.
pub fn chunks(bytes: impl AsRef<[u8]>, size: usize) -> Vec<Bytes> {
    bytes.as_ref().chunks(size.max(1)).map(Bytes::copy_from_slice).collect()
}

//! The decode cache, as users choose and read it.

use std::fmt;

use informer_core::object::decoded::DecodedCache;

/// Decoded objects that stay in memory because they are read again and again. All informers with the same cache share its
/// bytes.
///
/// Objects are stored packed, and decoded by [`Object::get`](crate::Object::get). What was decoded a moment ago is still
/// there (4 MiB of the cache, or a quarter of it if that is less; 256 KiB as long as nothing is read a second time). What is decoded once more soon after it had to go stays, and
/// so do its next versions, until others are read more often. So a handler that looks at each update once takes no more than
/// those 4 MiB, and reading everything once does not push out what is read all the time.
///
/// By default all informers of a process share 64 MiB. A pod takes about 45 KB decoded, so a program that goes on reading 1,000
/// pods needs 45 MB for them. A cache of another size, or one for some informers only, is an [option](crate::Options::decode_cache):
///
/// ```
/// use kube_informer::Options;
/// use kube_informer::object::DecodeCache;
///
/// let large = DecodeCache::new(512 << 20);
/// let options = Options::default().decode_cache(large.clone());
/// assert_eq!((large.bytes(), large.limit()), (0, 512 << 20));
/// ```
///
/// Clones are the same cache, and only those are equal.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DecodeCache(pub(crate) DecodedCache);

impl DecodeCache {
    /// Holds up to about this many bytes: the size of a decoded object is an estimate from the size of its JSON. With 0 only
    /// objects that somebody still holds are shared.
    pub fn new(limit: usize) -> Self {
        Self(DecodedCache::new(limit))
    }

    /// How many bytes it takes its objects to need now.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// How many bytes it may hold.
    pub fn limit(&self) -> usize {
        self.0.limit()
    }
}

impl fmt::Debug for DecodeCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeCache").field("bytes", &self.bytes()).field("limit", &self.limit()).finish()
    }
}

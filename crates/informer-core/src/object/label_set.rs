//! The labels of an object: a small sorted list, shared by all objects that carry the same set.

use std::fmt;
use std::sync::Arc;

/// The labels of an object. Cheap to clone; objects with equal labels share one copy.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LabelSet(Arc<[(Arc<str>, Arc<str>)]>);

impl LabelSet {
    /// From pairs in any order; the last of equal keys wins.
    #[cfg(any(test, feature = "testing"))]
    pub fn from_pairs(mut pairs: Vec<(Arc<str>, Arc<str>)>) -> Self {
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        // `dedup_by` hands the later one first; keeping its value in the earlier slot makes the last win.
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = later.1.clone();
            }
            same
        });
        Self(pairs.into())
    }

    /// From pairs that are sorted by key, each key once, and already shared.
    pub(crate) fn from_shared(pairs: Arc<[(Arc<str>, Arc<str>)]>) -> Self {
        Self(pairs)
    }

    /// The pairs, sorted by key.
    #[cfg(any(test, feature = "testing"))]
    pub fn shared(&self) -> &Arc<[(Arc<str>, Arc<str>)]> {
        &self.0
    }

    /// The value of a label.
    #[inline]
    pub fn get(&self, key: &str) -> Option<&str> {
        let place = self.0.binary_search_by(|(candidate, _)| (**candidate).cmp(key)).ok()?;
        Some(&self.0[place].1)
    }

    /// Whether the label is there.
    #[inline]
    pub fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// All labels, sorted by key.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Default for LabelSet {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl fmt::Debug for LabelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;

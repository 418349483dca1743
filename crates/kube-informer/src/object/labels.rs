//! The labels of an object: a small sorted list, shared by all objects that carry the same set.

use std::fmt;
use std::sync::Arc;

use informer_wire::selector::{LabelSelector, Requirement};
use kube_core::labels::{Expression, Selector};

/// The labels of an object. Cheap to clone; objects with equal labels share one copy.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Labels(Arc<[(Arc<str>, Arc<str>)]>);

impl Labels {
    /// From pairs in any order; the last of equal keys wins.
    #[cfg(test)]
    pub(crate) fn from_pairs(mut pairs: Vec<(Arc<str>, Arc<str>)>) -> Self {
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
    #[cfg(test)]
    pub(crate) fn shared(&self) -> &Arc<[(Arc<str>, Arc<str>)]> {
        &self.0
    }

    /// The value of a label.
    pub fn get(&self, key: &str) -> Option<&str> {
        let place = self.0.binary_search_by(|(candidate, _)| (**candidate).cmp(key)).ok()?;
        Some(&self.0[place].1)
    }

    /// Whether the label is there.
    pub fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// All labels, sorted by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a selector picks an object with these labels.
    ///
    /// ```
    /// use kube_core::labels::{Expression, Selector};
    /// # use kube_informer::Object;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # let mut map = ConfigMap::default();
    /// # map.metadata.name = Some("a".into());
    /// # map.metadata.labels = Some([("app".into(), "web".into())].into());
    /// # let object = Object::new(&map).unwrap();
    /// let selector: Selector = Expression::Equal("app".into(), "web".into()).into();
    /// assert!(object.labels().matches(&selector));
    /// ```
    pub fn matches(&self, selector: &Selector) -> bool {
        Matcher::new(selector).matches(self)
    }
}

impl Default for Labels {
    fn default() -> Self {
        Self(Arc::new([]))
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A selector of kube, which users write, read once and held against many label sets.
pub(crate) struct Matcher(LabelSelector);

impl Matcher {
    pub(crate) fn new(selector: &Selector) -> Self {
        Self(selector.clone().into_iter().map(requirement).collect())
    }

    pub(crate) fn matches(&self, labels: &Labels) -> bool {
        self.0.matches(|key| labels.get(key))
    }
}

fn requirement(expression: Expression) -> Requirement {
    match expression {
        Expression::In(key, values) => Requirement::one_of(key, values),
        Expression::NotIn(key, values) => Requirement::none_of(key, values),
        Expression::Equal(key, value) => Requirement::one_of(key, [value]),
        Expression::NotEqual(key, value) => Requirement::none_of(key, [value]),
        Expression::Exists(key) => Requirement::exists(key),
        Expression::DoesNotExist(key) => Requirement::absent(key),
    }
}

#[cfg(test)]
mod tests;

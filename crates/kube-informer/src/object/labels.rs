//! The labels of an object, as users read them.

use std::fmt;

use informer_wire::selector::{LabelSelector, Requirement};
use kube_core::labels::{Expression, Selector};
use ref_cast::{RefCastCustom, ref_cast_custom};

use informer_core::object::label_set::LabelSet;

/// The labels of an object. Cheap to clone; objects with equal labels share one copy.
#[derive(Clone, Default, PartialEq, Eq, Hash, RefCastCustom)]
#[repr(transparent)]
pub struct Labels(LabelSet);

impl Labels {
    #[ref_cast_custom]
    pub(crate) const fn of(set: &LabelSet) -> &Self;

    /// The value of a label.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)
    }

    /// Whether the label is there.
    pub fn contains(&self, key: &str) -> bool {
        self.0.contains(key)
    }

    /// All labels, sorted by key.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter()
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
    #[inline]
    pub fn matches(&self, selector: &Selector) -> bool {
        Matcher::new(selector).matches(&self.0)
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A selector of kube, which users write, read once and held against many label sets.
pub(crate) struct Matcher(LabelSelector);

impl Matcher {
    pub(crate) fn new(selector: &Selector) -> Self {
        Self(selector.clone().into_iter().map(requirement).collect())
    }

    #[inline]
    pub(crate) fn matches(&self, labels: &LabelSet) -> bool {
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

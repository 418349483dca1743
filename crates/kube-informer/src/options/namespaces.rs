//! Which namespaces an informer looks at.

use std::collections::BTreeSet;

/// Which namespaces an informer looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Namespaces {
    /// None were set for this informer: it uses the namespaces of its factory, or all.
    Inherited(Option<BTreeSet<String>>),
    All,
    /// Set for this informer; the list may be empty at first.
    These(BTreeSet<String>),
}

impl Namespaces {
    /// The first namespace that is set for the informer replaces the inherited ones.
    pub(super) fn add(&mut self, names: impl Iterator<Item = String>) {
        match self {
            Self::These(namespaces) => namespaces.extend(names),
            Self::Inherited(_) | Self::All => *self = Self::These(names.collect()),
        }
    }

    /// The namespaces that are set; `None` for all.
    pub(crate) fn named(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::These(namespaces) | Self::Inherited(Some(namespaces)) => Some(namespaces),
            Self::All | Self::Inherited(None) => None,
        }
    }

    /// The value that the informers of a factory inherit, if this is the factory's own.
    pub(crate) fn inherited(&self) -> Self {
        Self::Inherited(self.named().cloned())
    }

    /// The final value for an informer that is about to be built: inherited and own namespaces are no longer
    /// distinguished, and a cluster-scoped kind ignores the namespaces of its factory.
    pub(crate) fn settled(self, cluster_wide: bool) -> Self {
        match self {
            Self::Inherited(Some(namespaces)) if !cluster_wide => Self::These(namespaces),
            Self::Inherited(_) => Self::All,
            said => said,
        }
    }
}

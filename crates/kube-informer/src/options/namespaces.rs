//! Which namespaces an informer looks at.

use std::collections::BTreeSet;

/// Which namespaces an informer looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Namespaces {
    /// Nothing was said of this informer: those of its factory, or all.
    Inherited(Option<BTreeSet<String>>),
    All,
    /// Perhaps none as yet.
    These(BTreeSet<String>),
}

impl Namespaces {
    /// The first that is named replaces what was inherited.
    pub(super) fn add(&mut self, names: impl Iterator<Item = String>) {
        match self {
            Self::These(namespaces) => namespaces.extend(names),
            Self::Inherited(_) | Self::All => *self = Self::These(names.collect()),
        }
    }

    /// `None`: all.
    pub(crate) fn named(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::These(namespaces) | Self::Inherited(Some(namespaces)) => Some(namespaces),
            Self::All | Self::Inherited(None) => None,
        }
    }

    /// What the informers of a factory begin with, when these are its own.
    pub(crate) fn inherited(&self) -> Self {
        Self::Inherited(self.named().cloned())
    }

    /// For an informer about to be made: it no longer matters who said it, and a kind of the whole cluster is in no
    /// namespace whatever its factory says.
    pub(crate) fn settled(self, cluster_wide: bool) -> Self {
        match self {
            Self::Inherited(Some(namespaces)) if !cluster_wide => Self::These(namespaces),
            Self::Inherited(_) => Self::All,
            said => said,
        }
    }
}

//! What tells one informer of a factory from another.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::informer::engine::Selectors;
use crate::kind::KindInfo;
use crate::object::transform::TransformId;
use crate::settings::Settings;

/// Group, version and plural: what a URL names. The kind's name and scope follow from it, but are not always known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResourceId {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
}

impl ResourceId {
    pub(crate) fn of(kind: &KindInfo) -> Self {
        let text = str::to_owned;
        Self { group: text(kind.group()), version: text(kind.version()), plural: text(kind.plural()) }
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => write!(f, "{}", self.plural),
            group => write!(f, "{}.{}.{group}", self.plural, self.version),
        }
    }
}

/// All settings of an informer that can be compared: two that are alike may be one.
///
/// The error callback is not among them. Transforms are alike if they are the same function in the source, whatever
/// it has captured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variant {
    pub(crate) resource: ResourceId,
    /// `None`: all.
    pub(crate) namespaces: Option<BTreeSet<String>>,
    pub(crate) selectors: Selectors,
    pub(crate) metadata_only: bool,
    pub(crate) decoded: bool,
    pub(crate) transform: Option<TransformId>,
    pub(crate) drop_fields: Vec<String>,
    pub(crate) keep_managed_fields: bool,
    pub(crate) sensitive: bool,
    pub(crate) resync: Duration,
    pub(crate) settings: Settings,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) decode_cache_bytes: usize,
}

impl Variant {
    /// Whether this can be had of a kind: one of the whole cluster is in no namespace.
    pub(crate) fn suits(&self, kind: &KindInfo) -> bool {
        self.namespaces.is_none() || kind.is_namespaced() != Some(false)
    }

    /// The names of the settings in which two differ.
    pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let compared = [
            ("kind", self.resource == other.resource),
            ("namespaces", self.namespaces == other.namespaces),
            ("labels", self.selectors.labels == other.selectors.labels),
            ("fields", self.selectors.fields == other.selectors.fields),
            ("metadata only", self.metadata_only == other.metadata_only),
            ("decoded", self.decoded == other.decoded),
            ("transform", self.transform == other.transform),
            ("dropped fields", self.drop_fields == other.drop_fields),
            ("managed fields", self.keep_managed_fields == other.keep_managed_fields),
            ("sensitive", self.sensitive == other.sensitive),
            ("resync", self.resync == other.resync),
            ("settings", self.settings == other.settings),
            ("name", self.name == other.name),
            ("decode cache", self.decode_cache_bytes == other.decode_cache_bytes),
        ];
        compared.into_iter().filter(|(_, alike)| !alike).map(|(name, _)| name).collect()
    }
}

/// What a reader needs to recognise it; numbers are left out.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.resource)?;
        match &self.namespaces {
            Some(namespaces) if namespaces.is_empty() => f.write_str(" in no namespace yet")?,
            Some(namespaces) => {
                let namespaces: Vec<_> = namespaces.iter().map(String::as_str).collect();
                write!(f, " in {}", namespaces.join(", "))?;
            }
            None => {}
        }
        for (what, selector) in [("labels", &self.selectors.labels), ("fields", &self.selectors.fields)] {
            if let Some(selector) = selector {
                write!(f, ", {what} {selector:?}")?;
            }
        }
        if !self.drop_fields.is_empty() {
            write!(f, ", without {}", self.drop_fields.join(", "))?;
        }
        if let Some(transform) = &self.transform {
            write!(f, ", transformed by {}", transform.name)?;
        }
        if self.metadata_only {
            f.write_str(", metadata only")?;
        }
        if self.decoded {
            f.write_str(", decoded")?;
        }
        Ok(())
    }
}

//! Group, version, kind, plural and scope as values.

use std::fmt;
use std::sync::Arc;

/// Group, version and plural: what a URL names. The kind's name and scope follow from it, but are not always known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceId {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The name in URLs, such as `pods`.
    pub plural: String,
}

impl ResourceId {
    /// The resource of a kind.
    pub fn of(kind: &KindInfo) -> Self {
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

/// Group, version, kind, plural and scope of a kind, as values. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct KindInfo(Arc<Names>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Names {
    group: String,
    version: String,
    kind: String,
    plural: String,
    namespaced: Option<bool>,
}

impl KindInfo {
    /// Names a kind. `group` is empty for the core group; `plural` is the resource's name in URLs.
    pub fn new(
        group: impl AsRef<str>,
        version: impl AsRef<str>,
        kind: impl AsRef<str>,
        plural: impl AsRef<str>,
    ) -> Self {
        Self(Arc::new(Names {
            group: group.as_ref().into(),
            version: version.as_ref().into(),
            kind: kind.as_ref().into(),
            plural: plural.as_ref().into(),
            namespaced: None,
        }))
    }

    /// Says whether objects of this kind live in a namespace.
    #[must_use]
    pub fn namespaced(mut self, namespaced: bool) -> Self {
        Arc::make_mut(&mut self.0).namespaced = Some(namespaced);
        self
    }

    /// The API group, empty for the core group.
    pub fn group(&self) -> &str {
        &self.0.group
    }

    /// The version, such as `v1`.
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// The kind, such as `Pod`.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// The name of the resource in URLs, such as `pods`.
    pub fn plural(&self) -> &str {
        &self.0.plural
    }

    /// Whether objects live in a namespace, where known.
    pub fn is_namespaced(&self) -> Option<bool> {
        self.0.namespaced
    }

    /// `v1` for the core group, `group/version` for the others.
    pub fn api_version(&self) -> String {
        if self.0.group.is_empty() {
            self.0.version.clone()
        } else {
            format!("{}/{}", self.0.group, self.0.version)
        }
    }

    /// `pods` for the core group, `deployments.apps` for the others: the form RBAC rules and error messages use.
    pub fn resource(&self) -> String {
        if self.0.group.is_empty() {
            self.0.plural.clone()
        } else {
            format!("{}.{}", self.0.plural, self.0.group)
        }
    }

    /// The URL path of the collection, in one namespace or in all.
    pub fn url_path(&self, namespace: Option<&str>) -> String {
        let root = if self.0.group.is_empty() { "api" } else { "apis" };
        let api_version = self.api_version();
        match namespace {
            Some(namespace) => format!("/{root}/{api_version}/namespaces/{namespace}/{}", self.0.plural),
            None => format!("/{root}/{api_version}/{}", self.0.plural),
        }
    }
}

/// The kind, or the resource where the kind's name is not known.
pub fn noun(kind: &KindInfo) -> &str {
    if kind.0.kind.is_empty() { &kind.0.plural } else { &kind.0.kind }
}

/// Core Secrets hold what must not be written down anywhere by accident.
pub fn is_sensitive(kind: &KindInfo) -> bool {
    kind.0.group.is_empty() && kind.0.plural == "secrets"
}

impl fmt::Display for KindInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource())
    }
}

impl fmt::Debug for KindInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KindInfo({} {})", self.api_version(), noun(self))
    }
}

//! A name for which the server has no usable resource.

use std::fmt;

use crate::error::SourceError;
use crate::kind::KindInfo;

/// No informer can be made for the name of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceError(Box<NoResource>);

/// Why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoResource {
    /// The server has no such resource.
    Unknown {
        /// The requested name.
        name: String,
        /// Similar names that exist.
        near: Vec<String>,
        /// API groups whose discovery document could not be read, and why.
        unavailable: Vec<String>,
    },
    /// The resource cannot be listed and watched.
    NotWatchable { kind: KindInfo },
    /// Discovery failed.
    Discovery(SourceError),
}

impl From<NoResource> for ResourceError {
    fn from(why: NoResource) -> Self {
        Self(Box::new(why))
    }
}

impl ResourceError {
    /// Whether the server has no such resource.
    pub fn is_unknown(&self) -> bool {
        matches!(&*self.0, NoResource::Unknown { .. })
    }

    /// Whether the resource exists but cannot be listed and watched.
    pub fn is_not_watchable(&self) -> bool {
        matches!(&*self.0, NoResource::NotWatchable { .. })
    }

    /// The error of discovery, if discovery failed. Trying again later may help.
    pub fn source_error(&self) -> Option<&SourceError> {
        match &*self.0 {
            NoResource::Discovery(error) => Some(error),
            NoResource::Unknown { .. } | NoResource::NotWatchable { .. } => None,
        }
    }

    /// Resources of the server with similar names.
    pub fn near(&self) -> &[String] {
        match &*self.0 {
            NoResource::Unknown { near, .. } => near,
            NoResource::NotWatchable { .. } | NoResource::Discovery(_) => &[],
        }
    }

    /// If the server has no such resource as far as it can be asked: each API group that could not be, and why. The resource may
    /// be in one of them.
    pub fn unavailable(&self) -> &[String] {
        match &*self.0 {
            NoResource::Unknown { unavailable, .. } => unavailable,
            NoResource::NotWatchable { .. } | NoResource::Discovery(_) => &[],
        }
    }

    /// The kind that cannot be watched.
    pub fn kind(&self) -> Option<&KindInfo> {
        match &*self.0 {
            NoResource::NotWatchable { kind } => Some(kind),
            NoResource::Unknown { .. } | NoResource::Discovery(_) => None,
        }
    }
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            NoResource::Unknown { name, near, unavailable } => write!(
                f,
                "the server has no resource {name:?}{}{}",
                listed("; near names: ", near),
                listed("; could not be asked: ", unavailable)
            ),
            NoResource::NotWatchable { kind } => {
                write!(f, "{kind} cannot be listed and watched, so there is no informer of it")
            }
            NoResource::Discovery(error) => {
                f.write_str("the server's resources cannot be read")?;
                if let Some(status) = error.http_status() {
                    write!(f, " (HTTP {status})")?;
                }
                write!(f, ": {error}")
            }
        }
    }
}

impl std::error::Error for ResourceError {}

fn listed(introduction: &str, names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("{introduction}{}", names.join(", ")) }
}

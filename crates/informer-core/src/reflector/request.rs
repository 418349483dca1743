//! How a scope is read: the parameters of a LIST.

/// Whether lists are read as a stream (`sendInitialEvents=true`), which costs the server far less memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamingList {
    /// Lists are streamed. If a server does not support that, the informer remembers it and uses LIST for a while.
    #[default]
    Auto,
    /// Streaming is tried before every list, whatever happened before.
    Always,
    /// LIST only.
    Never,
}

/// How the server interprets `resourceVersion` in a LIST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionMatch {
    /// At least as new.
    NotOlderThan,
    /// Exactly this version.
    Exact,
}

/// Parameters of a LIST.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListParams {
    /// `""` (not sent) for the most recent state, `"0"` for any, or a version.
    pub resource_version: String,
    /// How the version is meant.
    pub version_match: Option<VersionMatch>,
    /// Page size.
    pub limit: Option<u32>,
    /// The next page of an earlier answer.
    pub continue_token: Option<String>,
}

impl VersionMatch {
    /// As it stands in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotOlderThan => "NotOlderThan",
            Self::Exact => "Exact",
        }
    }
}

//! Calls that an informer refuses.

use std::fmt;

use informer_core::store::index_error::IndexError;

use crate::kind::KindInfo;
use crate::report::Failure;

/// An informer refuses a call: it has stopped, was started before or broke, does not watch the namespace, or has no
/// such index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InformerError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: KindInfo,
    why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Why {
    Stopped,
    AlreadyStarted,
    Broken(Failure),
    ClusterWide,
    AllNamespaces,
    EmptyNamespace,
    UnknownNamespace(String),
    Index(IndexError),
}

impl InformerError {
    fn new(kind: &KindInfo, why: Why) -> Self {
        Self(Box::new(Inner { kind: kind.clone(), why }))
    }

    /// The informer has stopped, and does not start again. All errors about a stopped informer are made here.
    pub(crate) fn stopped(kind: &KindInfo) -> Self {
        Self::new(kind, Why::Stopped)
    }

    /// The informer was started before.
    pub(crate) fn already_started(kind: &KindInfo) -> Self {
        Self::new(kind, Why::AlreadyStarted)
    }

    /// A part of the informer panicked.
    pub(crate) fn broke(failure: Failure) -> Self {
        Self::new(&failure.kind.clone(), Why::Broken(failure))
    }

    /// The informer is not limited to namespaces: the kind is cluster-scoped, or no namespace was set when the informer
    /// was built.
    pub(crate) fn not_limited(kind: &KindInfo) -> Self {
        let cluster_wide = kind.is_namespaced() == Some(false);
        Self::new(kind, if cluster_wide { Why::ClusterWide } else { Why::AllNamespaces })
    }

    /// The name of a namespace is empty.
    pub(crate) fn empty_namespace(kind: &KindInfo) -> Self {
        Self::new(kind, Why::EmptyNamespace)
    }

    /// The informer does not watch this namespace.
    pub(crate) fn unknown_namespace(kind: &KindInfo, namespace: &str) -> Self {
        Self::new(kind, Why::UnknownNamespace(namespace.to_owned()))
    }

    /// An index cannot be queried or added.
    pub(crate) fn index(kind: &KindInfo, error: IndexError) -> Self {
        Self::new(kind, Why::Index(error))
    }

    /// The kind that the informer holds.
    pub fn kind(&self) -> &KindInfo {
        &self.0.kind
    }

    /// Whether the informer has stopped. It does not start again: build another one.
    pub fn is_stopped(&self) -> bool {
        self.0.why == Why::Stopped
    }

    /// Whether the informer was started before. An informer runs once.
    pub fn is_already_started(&self) -> bool {
        self.0.why == Why::AlreadyStarted
    }

    /// The failure that broke the informer: a part of the informer itself panicked, and it has stopped. The error
    /// callback was called with the same failure, as [`Cause::Broken`](crate::status::Cause::Broken). To continue,
    /// build another informer.
    pub fn broken(&self) -> Option<&Failure> {
        match &self.0.why {
            Why::Broken(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether the informer is not limited to namespaces, so that none can be added or removed: its kind is
    /// cluster-scoped, or no namespace was set when the informer was built.
    pub fn is_not_limited(&self) -> bool {
        matches!(self.0.why, Why::ClusterWide | Why::AllNamespaces)
    }

    /// Whether the name of a namespace was empty.
    pub fn is_empty_namespace(&self) -> bool {
        self.0.why == Why::EmptyNamespace
    }

    /// Whether the informer does not watch the namespace, or no longer does.
    pub fn is_unknown_namespace(&self) -> bool {
        matches!(self.0.why, Why::UnknownNamespace(_))
    }

    /// Whether the informer has no such index: the index was removed, or the informer has stopped.
    pub fn is_unknown_index(&self) -> bool {
        matches!(self.0.why, Why::Index(IndexError::Unknown(_)))
    }

    /// Whether the informer has a different index of that name: one that was added before, that has another value type
    /// or field, or that belongs to another informer.
    pub fn is_other_index(&self) -> bool {
        use IndexError::{Duplicate, OtherField, OtherInformer, OtherType};
        matches!(self.0.why, Why::Index(Duplicate(_) | OtherField { .. } | OtherInformer(_) | OtherType(_)))
    }

    /// The name of the index that cannot be queried or added.
    pub fn index_name(&self) -> Option<&str> {
        let Why::Index(error) = &self.0.why else { return None };
        Some(match error {
            IndexError::Unknown(index)
            | IndexError::OtherType(index)
            | IndexError::OtherField { index, .. }
            | IndexError::OtherInformer(index)
            | IndexError::Duplicate(index)
            | IndexError::Function { index, .. } => index,
        })
    }

    /// The namespace that the informer does not watch.
    pub fn namespace(&self) -> Option<&str> {
        match &self.0.why {
            Why::UnknownNamespace(namespace) => Some(namespace),
            _ => None,
        }
    }
}

impl fmt::Display for InformerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.0.kind;
        match &self.0.why {
            Why::Stopped => write!(f, "the informer of {kind} has stopped already; build another one"),
            Why::AlreadyStarted => {
                write!(f, "the informer of {kind} was started before; it runs only once")
            }
            Why::Broken(failure) => write!(f, "{failure}"),
            Why::ClusterWide => {
                write!(f, "{kind} belong to the whole cluster: there is no namespace to look at")
            }
            Why::AllNamespaces => write!(
                f,
                "the informer of {kind} looks at all namespaces; name one when it is built to choose them"
            ),
            Why::EmptyNamespace => write!(f, "the name of a namespace of {kind} is empty"),
            Why::UnknownNamespace(namespace) => {
                write!(f, "the informer of {kind} does not look at namespace {namespace:?}")
            }
            Why::Index(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for InformerError {}

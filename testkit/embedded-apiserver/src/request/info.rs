//! What a request asks for, by its method, path and query alone.

use http::Method;

use super::{Query, Verb};

/// What a request asks for, before it is known whether such a resource is served: the `RequestInfo` of kube-apiserver.
///
/// It is made from paths that lead nowhere as well, because the journal and the faults see every request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestInfo {
    /// `None` if the method stands for no verb, such as OPTIONS.
    pub(crate) verb: Option<Verb>,
    /// Empty for the core group.
    pub(crate) group: String,
    /// Whether the path has `watch/` after the version, the deprecated way to ask for a watch.
    pub(super) is_watch_path: bool,
    /// Not set by the path of a namespace itself, which is cluster-scoped.
    pub(crate) namespace: Option<String>,
    pub(crate) plural: String,
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
    /// Whether the path has nothing else: no empty segments, and none after the subresource.
    pub(super) is_exact: bool,
}

impl RequestInfo {
    /// `None` if the path is not one of objects.
    pub(super) fn parse(method: &Method, segments: &[String], query: &Query) -> Option<Self> {
        let mut named = segments.iter().map(String::as_str).filter(|segment| !segment.is_empty());
        let group = match named.next()? {
            "api" => "",
            "apis" => named.next()?,
            _ => return None,
        };
        let _version = named.next()?;
        let rest: Vec<&str> = named.collect();
        let (is_watch_path, rest) = match &*rest {
            ["watch", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        // A namespace is an object with subresources as well as a part of the paths of other objects.
        let (namespace, rest) = match rest {
            ["namespaces", _, "status" | "finalize", ..] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let (plural, rest) = rest.split_first()?;
        let name = rest.first();
        let subresource = rest.get(1);
        let owned = |segment: &str| segment.to_owned();
        Some(Self {
            verb: verb(method, is_watch_path, name.is_none(), query),
            group: group.to_owned(),
            is_watch_path,
            namespace: namespace.map(owned),
            plural: owned(plural),
            name: name.copied().map(owned),
            subresource: subresource.copied().map(owned),
            is_exact: rest.len() <= 2 && segments.iter().all(|segment| !segment.is_empty()),
        })
    }
}

fn verb(method: &Method, is_watch_path: bool, is_collection: bool, query: &Query) -> Option<Verb> {
    let is_watch = is_watch_path || is_collection && query.flag("watch") == Some(true);
    Some(match *method {
        Method::GET | Method::HEAD if is_watch => Verb::Watch,
        Method::GET | Method::HEAD if is_collection => Verb::List,
        Method::GET | Method::HEAD => Verb::Get,
        Method::POST => Verb::Create,
        Method::PUT => Verb::Update,
        Method::PATCH => Verb::Patch,
        Method::DELETE if is_collection => Verb::DeleteCollection,
        Method::DELETE => Verb::Delete,
        _ => return None,
    })
}

//! What a path and a query of the API ask for.

mod redacted;

use kube_informer::kind::KindInfo;

pub(crate) use self::redacted::without_secrets;
use crate::split::Form;

/// Path and query of a request, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) path: String,
    /// In order of their names; values are as they were written, or stand-ins for secrets.
    parameters: Vec<(String, String)>,
}

/// The resource of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) namespace: Option<String>,
    /// The one object that is asked for.
    pub(crate) name: Option<String>,
    /// A part of it, such as `log` or `status`.
    pub(crate) part: Option<String>,
    /// Whether it is all objects, and not one of them or a part of one.
    pub(crate) is_collection: bool,
    /// Whether it is asked for as `/watch/…`, the old form of watches.
    pub(crate) is_old_watch: bool,
    /// How many segments of the path there are up to the name.
    named: usize,
}

/// Parameters that say for how long and how, but not what.
const BESIDE: [&str; 3] = ["timeout", "timeoutSeconds", "pretty"];

/// Parameters that say what is asked for, whatever version of it.
const SAME: [&str; 4] = ["watch", "sendInitialEvents", "labelSelector", "fieldSelector"];

impl Target {
    /// Without its secrets: it is compared with others, of which some were recorded and have none.
    pub(crate) fn parse(target: &str) -> Self {
        let target = &*without_secrets(target);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
        let parameters = parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")));
        let mut parameters: Vec<_> = parameters
            .filter(|(name, _)| !BESIDE.contains(name))
            .map(|(name, value)| match (name, value) {
                ("watch", "1") => (name.to_owned(), "true".to_owned()),
                _ => (name.to_owned(), value.to_owned()),
            })
            .collect();
        parameters.sort();
        Self { path: path.to_owned(), parameters }
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(one, _)| one == name).map(|(_, value)| &**value)
    }

    pub(crate) fn is_watch(&self) -> bool {
        self.parameter("watch") == Some("true")
    }

    /// Whether the list is asked for as a stream.
    pub(crate) fn is_streaming_list(&self) -> bool {
        self.is_watch() && self.parameter("sendInitialEvents") == Some("true")
    }

    /// Whether it asks for the same objects, perhaps of another version and in pages of another size.
    pub(crate) fn resembles(&self, other: &Self) -> bool {
        self.path == other.path
            && SAME.iter().all(|name| self.parameter(name) == other.parameter(name))
            && self.parameter("continue").is_some() == other.parameter("continue").is_some()
    }

    /// Whether it asks for the same objects, be it as a list or as a watch.
    pub(crate) fn is_about_those_of(&self, other: &Self) -> bool {
        let same = |name: &str| self.parameter(name) == other.parameter(name);
        self.path == other.path && same("labelSelector") && same("fieldSelector")
    }

    /// How the answer to it is to be divided.
    pub(crate) fn form(&self) -> Form {
        let is_collection = Resource::of(&self.path).is_some_and(|resource| resource.is_collection);
        match (self.is_watch(), is_collection) {
            (true, _) => Form::Events,
            (false, true) => Form::List,
            (false, false) => Form::Document,
        }
    }
}

impl Resource {
    /// `None` for what is not an object: discovery, `/version`, `/openapi/v2`.
    pub(crate) fn of(path: &str) -> Option<Self> {
        // As the server reads it: `/api/v1/%73ecrets` is a list of Secrets.
        let path = decoded_path(path);
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        let group = match parts.next()? {
            "api" => "",
            "apis" => parts.next()?,
            _ => return None,
        };
        let version = parts.next()?;
        let all = path.split('/').filter(|part| !part.is_empty()).count();
        let mut rest: Vec<&str> = parts.collect();
        let is_old_watch = rest.first() == Some(&"watch");
        if is_old_watch {
            rest.remove(0);
        }
        let (namespace, plural, object): (_, _, &[&str]) = match rest.as_slice() {
            ["namespaces", namespace, plural] if !matches!(*plural, "status" | "finalize") => {
                (Some(*namespace), *plural, &[])
            }
            ["namespaces", namespace, plural, object @ ..] if !object.is_empty() => {
                (Some(*namespace), *plural, object)
            }
            [plural, object @ ..] => (None, *plural, object),
            [] => return None,
        };
        Some(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: plural.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: object.first().map(|name| (*name).to_owned()),
            part: object.get(1).map(|part| (*part).to_owned()),
            is_collection: object.is_empty(),
            is_old_watch,
            named: all - object.len().saturating_sub(1),
        })
    }

    pub(crate) fn is_of(&self, kind: &KindInfo) -> bool {
        self.group == kind.group() && self.plural == kind.plural()
    }

    pub(crate) fn is_secrets(&self) -> bool {
        self.group.is_empty() && self.plural == "secrets"
    }
}

/// What stands percent-encoded in a query.
pub(crate) fn decoded(text: &str) -> String {
    unescaped(text, b' ')
}

/// What stands percent-encoded in a path, where a plus is no blank.
pub(crate) fn decoded_path(text: &str) -> String {
    unescaped(text, b'+')
}

fn unescaped(text: &str, plus: u8) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let (byte, length) = match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => (byte, 3),
            None if *byte == b'+' => (plus, 1),
            None => (*byte, 1),
        };
        out.push(byte);
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;

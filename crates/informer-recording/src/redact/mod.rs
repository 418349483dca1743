//! Takes secrets out of JSON documents before anything of them is written down.
//!
//! Whatever is not taken out stays as the server wrote it, byte for byte.

mod harmless;
mod mask;
mod names;
mod refusal;
mod text;
mod tree;

use std::ops::Range;

use self::tree::{Node, Value};

pub use self::harmless::is_harmless;
pub(crate) use self::mask::letters as masked;
pub(crate) use self::names::is_secret as is_secret_name;
pub(crate) use self::text::without_credentials;
use self::text::{is_flag_of_secret, name_without_credentials};

/// The annotation that ends a streamed list.
const END_OF_LIST: &str = "k8s.io/initial-events-end";

/// What is known of an answer before it is looked through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About {
    /// Its objects are of a sensitive kind. Secrets are noticed by themselves as well.
    pub(crate) sensitive: bool,
    /// The request could have changed something. Servers that refuse it quote what they were sent, and for a patch the whole
    /// object that would have come of it.
    pub(crate) is_write: bool,
}

/// The document without secrets; `None` if it is not JSON, so that nothing is known of what it holds.
pub(crate) fn redact(document: &[u8], about: About) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(document).ok()?;
    let root = Node::parse(text)?;
    let mut edits = Edits { places: Vec::new(), is_write: about.is_write };
    if about.sensitive {
        edits.sensitive(&root);
    } else {
        edits.ordinary(&root);
    }
    Some(edits.apply(text))
}

/// Whether a list says that it is one of Secrets.
pub(crate) fn is_list_of_secrets(list: &[u8]) -> bool {
    let root = std::str::from_utf8(list).ok().and_then(Node::parse);
    root.is_some_and(|root| root.each("kind").any(|kind| kind.as_str() == Some("SecretList")))
}

struct Edits {
    /// What is put in the place of what, in the order of the text.
    places: Vec<(Range<usize>, String)>,
    is_write: bool,
}

impl Edits {
    fn apply(self, text: &str) -> Vec<u8> {
        let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
        for (place, instead) in self.places {
            out.extend_from_slice(&text.as_bytes()[at..place.start]);
            out.extend_from_slice(instead.as_bytes());
            at = place.end;
        }
        out.extend_from_slice(&text.as_bytes()[at..]);
        out
    }

    /// A value that is of no sensitive kind, as far as is known. Objects within it may be.
    fn ordinary(&mut self, node: &Node<'_>) {
        match &node.value {
            Value::Object(members) => {
                if node.each("kind").any(|kind| matches!(kind.as_str(), Some("Secret" | "SecretList"))) {
                    return if is_reference(node) { self.reference(node) } else { self.sensitive(node) };
                }
                if self.is_write && refusal::quotes(node) {
                    return self.refusal(node);
                }
                if self.is_write && refusal::forbids(node) {
                    return self.refusal_with_message(node);
                }
                // As in the environment of a container and in the headers of a probe.
                let is_named_so = node.each("name").any(|name| name.as_str().is_some_and(names::is_secret));
                for member in members {
                    let name = &*member.name;
                    if name == names::LAST_APPLIED
                        || names::is_secret(name)
                        || (is_named_so && name == "value")
                    {
                        self.texts(&member.node);
                    } else if name == names::MANAGED_FIELDS && matches!(member.node.value, Value::Array(_)) {
                        self.places.push((member.node.place.clone(), "[]".to_owned()));
                    } else {
                        match (&member.node.value, names::is_identity(name)) {
                            (Value::String(text), true) => self.identity(name, text, &member.node),
                            _ => self.ordinary(&member.node),
                        }
                    }
                }
            }
            Value::Array(items) => {
                let mut is_value = false;
                for item in items {
                    // As in `["--password", "…"]`.
                    match &item.value {
                        Value::String(text) if is_value && !text.starts_with('-') => self.texts(item),
                        _ => self.ordinary(item),
                    }
                    is_value = item.as_str().is_some_and(is_flag_of_secret);
                }
            }
            Value::String(text) => {
                if let Some(text) = without_credentials(text) {
                    self.replace(node, &text);
                }
            }
            Value::Number(_) | Value::Bool | Value::Null => {}
        }
    }

    /// A text that says which object something is about, or should: nothing forbids that there is a token in it.
    fn identity(&mut self, name: &str, text: &str, node: &Node<'_>) {
        // Servers make these, and they look so.
        if name == names::CONTINUE {
            return;
        }
        if let Some(text) = name_without_credentials(text) {
            self.replace(node, &text);
        }
    }

    /// A value whose name is that of a secret. If it is an object, its members have names of their own.
    fn texts(&mut self, node: &Node<'_>) {
        match &node.value {
            Value::String(text) => self.replace(node, &mask::letters(text.len())),
            // A password may be all digits.
            Value::Number(_) => self.places.push((node.place.clone(), "0".to_owned())),
            Value::Array(items) => items.iter().for_each(|item| self.texts(item)),
            Value::Object(_) | Value::Bool | Value::Null => self.ordinary(node),
        }
    }

    /// A document about objects of a sensitive kind: one of them, a list, an event, a table, or an error.
    fn sensitive(&mut self, node: &Node<'_>) {
        let is_kind =
            |test: &dyn Fn(&str) -> bool| node.each("kind").any(|kind| kind.as_str().is_some_and(test));
        let is_event = node.each("object").next().is_some() && node.each("kind").next().is_none();
        let is_refusal = refusal::is_refusal(node);
        let is_list = node.each("kind").all(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("List")))
            && node.each("items").next().is_some();
        for member in node.members() {
            match &*member.name {
                "object" if is_event => self.sensitive(&member.node),
                "type" if is_event => {}
                "items" if is_list => match &member.node.value {
                    Value::Array(items) => items.iter().for_each(|item| self.sensitive(item)),
                    _ => self.everything(&member.node),
                },
                // That of a list says which page it is.
                "metadata" if is_list => self.ordinary(&member.node),
                "metadata" => self.metadata(&member.node),
                // What a server says when it refuses a read does not quote objects.
                "message" | "reason" | "code" | "status" | "details" if is_refusal => {
                    if self.is_write {
                        self.part_of_refusal(member);
                    } else {
                        self.ordinary(&member.node);
                    }
                }
                "columnDefinitions" if is_kind(&|kind| kind == "Table") => {}
                "rows" if is_kind(&|kind| kind == "Table") => self.rows(&member.node),
                "code" | "status" if is_kind(&|kind| kind == "Status") => {}
                "reason" if is_kind(&|kind| kind == "Status") => self.reason(&member.node),
                "data" => self.encoded(&member.node),
                name if is_harmless(&[name]) && is_plain(&member.node) => {}
                _ => self.everything(&member.node),
            }
        }
        if !matches!(node.value, Value::Object(_)) {
            self.everything(node);
        }
    }

    /// The rows of a table. Each may have its object with it.
    fn rows(&mut self, rows: &Node<'_>) {
        let Value::Array(all) = &rows.value else { return self.everything(rows) };
        for row in all {
            for member in row.members() {
                match &*member.name {
                    "object" => self.sensitive(&member.node),
                    _ => self.everything(&member.node),
                }
            }
            if !matches!(row.value, Value::Object(_)) {
                self.everything(row);
            }
        }
    }

    fn metadata(&mut self, metadata: &Node<'_>) {
        for member in metadata.members() {
            match &*member.name {
                "annotations" => {
                    let all = member.node.members().iter();
                    all.filter(|one| one.name != END_OF_LIST).for_each(|one| self.everything(&one.node));
                }
                names::MANAGED_FIELDS => self.places.push((member.node.place.clone(), "[]".to_owned())),
                name if is_harmless(&["metadata", name]) => {}
                _ => self.everything(&member.node),
            }
        }
        if !matches!(metadata.value, Value::Object(_)) {
            self.everything(metadata);
        }
    }

    /// What names a Secret from elsewhere: an owner, what an event is about, where a certificate is. A replay needs to know which
    /// one it is.
    fn reference(&mut self, node: &Node<'_>) {
        for member in node.members() {
            match (&*member.name, &member.node.value) {
                (name, Value::String(text)) if names::is_of_reference(name) => {
                    self.identity(name, text, &member.node);
                }
                ("controller" | "blockOwnerDeletion", Value::Bool) => {}
                _ => self.everything(&member.node),
            }
        }
    }

    /// The data of a Secret, which is read as base64.
    fn encoded(&mut self, data: &Node<'_>) {
        for member in data.members() {
            match &member.node.value {
                Value::String(text) => self.replace(&member.node, &mask::base64(text.len())),
                _ => self.everything(&member.node),
            }
        }
        if !matches!(data.value, Value::Object(_)) {
            self.everything(data);
        }
    }

    /// Keeps names and types, and no value.
    fn everything(&mut self, node: &Node<'_>) {
        match &node.value {
            Value::Object(members) => members.iter().for_each(|member| self.everything(&member.node)),
            Value::Array(items) => items.iter().for_each(|item| self.everything(item)),
            Value::String(text) => self.replace(node, &mask::letters(text.len())),
            Value::Number(_) => self.places.push((node.place.clone(), "0".to_owned())),
            Value::Bool => self.places.push((node.place.clone(), "false".to_owned())),
            Value::Null => {}
        }
    }

    fn replace(&mut self, node: &Node<'_>, text: &str) {
        let quoted = serde_json::Value::from(text).to_string();
        self.places.push((node.place.clone(), quoted));
    }
}

/// Whether an object of the kind of Secrets has nothing in which a Secret keeps what is secret.
fn is_reference(node: &Node<'_>) -> bool {
    ["metadata", "data", "stringData", "items"].iter().all(|name| node.each(name).next().is_none())
}

fn is_plain(node: &Node<'_>) -> bool {
    !matches!(node.value, Value::Object(_) | Value::Array(_))
}

#[cfg(test)]
mod tests;

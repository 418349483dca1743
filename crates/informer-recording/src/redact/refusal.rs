//! What a server says when it does not do what it was asked for.

use super::Edits;
use super::tree::{Member, Node, Value};

/// Answers to a write that say nothing of what was sent: who may not do what, and what is not there or has changed meanwhile.
const UNQUOTED: [&str; 12] =
    ["401", "403", "404", "405", "406", "409", "410", "413", "415", "429", "503", "504"];

/// A Status that says why a request was refused.
pub(super) fn is_refusal(node: &Node<'_>) -> bool {
    is_status(node)
        && node
            .each("code")
            .all(|code| number(code).is_some_and(|code| code.len() == 3 && code.starts_with('4')))
}

/// Whether it is the Status of a write whose texts may have what was sent, or the object that it was sent for: `Invalid value:
/// "{…the whole object…}"`.
pub(super) fn quotes(node: &Node<'_>) -> bool {
    let mut codes = node.each("code").peekable();
    let is_unquoted =
        codes.peek().is_some() && codes.all(|code| number(code).is_some_and(|code| UNQUOTED.contains(&code)));
    is_status(node) && !is_unquoted
}

fn is_status(node: &Node<'_>) -> bool {
    node.each("kind").any(|kind| kind.as_str() == Some("Status"))
}

fn number<'a>(node: &Node<'a>) -> Option<&'a str> {
    match node.value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

impl Edits {
    /// A Status without its texts. What was refused, which fields are wrong and in which way stays.
    pub(super) fn refusal(&mut self, status: &Node<'_>) {
        status.members().iter().for_each(|member| self.part_of_refusal(member));
    }

    pub(super) fn part_of_refusal(&mut self, member: &Member<'_>) {
        match (&*member.name, &member.node.value) {
            ("message", _) => self.everything(&member.node),
            ("details", Value::Object(details)) => details.iter().for_each(|detail| self.detail(detail)),
            _ => self.ordinary(&member.node),
        }
    }

    fn detail(&mut self, detail: &Member<'_>) {
        let Value::Array(causes) = &detail.node.value else { return self.ordinary(&detail.node) };
        for cause in causes {
            match &cause.value {
                Value::Object(parts) => parts.iter().for_each(|part| match &*part.name {
                    "message" => self.everything(&part.node),
                    _ => self.ordinary(&part.node),
                }),
                _ => self.everything(cause),
            }
        }
    }
}

//! What a server says when it does not do what it was asked for.

mod authorizer;

use super::Edits;
use super::tree::{Member, Node, Value};

/// Answers to a write that say nothing of what was sent: what is not there, or has changed meanwhile, or is too much. 403 is one
/// only if it is an authorizer that refuses: what admits objects says it with the same code.
const UNQUOTED: [&str; 11] = ["401", "404", "405", "406", "409", "410", "413", "415", "429", "503", "504"];

/// What servers say before the words of an admission webhook or of a policy, which saw the object. Both choose the code themselves.
const OF_ADMISSION: [&str; 2] = ["denied the request", "denied request"];

/// A Status that says why a request was refused.
pub(super) fn is_refusal(node: &Node<'_>) -> bool {
    is_status(node)
        && node
            .each("code")
            .all(|code| number(code).is_some_and(|code| code.len() == 3 && code.starts_with('4')))
}

/// Whether it is the Status of a write whose message may have what was sent, or the object that it was sent for: `Invalid value:
/// "{…the whole object…}"`.
pub(super) fn quotes(node: &Node<'_>) -> bool {
    let mut codes = node.each("code").peekable();
    let is_unquoted = codes.peek().is_some()
        && codes.all(|code| match number(code) {
            Some("403") => {
                node.each("message").all(|message| message.as_str().is_some_and(authorizer::is_its_refusal))
            }
            Some(code) => UNQUOTED.contains(&code),
            None => false,
        });
    let is_of_admission =
        |message: &str| OF_ADMISSION.iter().any(|words| message.to_ascii_lowercase().contains(words));
    let mut messages = node.each("message").filter_map(Node::as_str);
    is_status(node) && (!is_unquoted || messages.any(is_of_admission))
}

/// Whether it is the Status of a write that says that somebody may not do something. Its causes are not from whoever says that.
pub(super) fn forbids(node: &Node<'_>) -> bool {
    is_status(node) && node.each("code").any(|code| number(code) == Some("403"))
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

    /// The same, but with its message.
    pub(super) fn refusal_with_message(&mut self, status: &Node<'_>) {
        for member in status.members() {
            match &*member.name {
                "message" => self.ordinary(&member.node),
                _ => self.part_of_refusal(member),
            }
        }
    }

    pub(super) fn part_of_refusal(&mut self, member: &Member<'_>) {
        match (&*member.name, &member.node.value) {
            ("message", _) => self.everything(&member.node),
            ("reason", _) => self.reason(&member.node),
            ("details", Value::Object(details)) => details.iter().for_each(|detail| self.detail(detail)),
            _ => self.ordinary(&member.node),
        }
    }

    /// One word, such as `Invalid`, stays. Webhooks may write whatever they like there.
    pub(super) fn reason(&mut self, reason: &Node<'_>) {
        let is_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !reason.as_str().is_some_and(is_letters) {
            self.everything(reason);
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

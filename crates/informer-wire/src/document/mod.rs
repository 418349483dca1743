//! A whole object, as JSON and as YAML that people can read on a terminal or a page.

use serde_json::Value;

use crate::kind::KindInfo;

#[cfg(feature = "yaml")]
mod yaml;

#[cfg(feature = "yaml")]
pub use yaml::{YamlError, yaml};

/// An object with kind and apiVersion, which items of lists lack. Null if it is not JSON.
pub fn whole(json: &[u8], kind: &KindInfo) -> Value {
    let mut object: Value = serde_json::from_slice(json).unwrap_or_default();
    if let Some(members) = object.as_object_mut() {
        members.entry("kind").or_insert_with(|| kind.kind().into());
        members.entry("apiVersion").or_insert_with(|| kind.api_version().into());
    }
    object
}

/// Whether a terminal would do something else than show the character: control characters, those that change the direction of
/// text, and separators of lines and paragraphs.
pub fn is_obeyed(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests;

//! What a request asks for.

use std::borrow::Cow;

/// The query of a URL.
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// The value of a name; what is empty was not asked for.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
        found.filter(|value| !value.is_empty())
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.text(name)?.parse().ok()
    }
}

/// The beginning of a text, and how long it is if that is not all.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let end = (0..=most).rev().find(|place| text.is_char_boundary(*place)).unwrap_or_default();
    format!("{}… ({} bytes)", &text[..end], text.len()).into()
}

#[cfg(test)]
mod tests;

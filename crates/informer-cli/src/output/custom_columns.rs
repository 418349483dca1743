//! `-o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName`.

use serde_json::Value;

use crate::jsonpath::{Path, go_text};

/// Titles, and what stands below them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CustomColumns(Vec<(String, Path)>);

impl CustomColumns {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let column = |part: &str| {
            let (title, path) = part.split_once(':').ok_or_else(|| {
                format!("expected a title and a path such as NAME:.metadata.name, not {part:?}")
            })?;
            Ok((title.to_owned(), Path::parse(path).map_err(|why| format!("column {title}: {why}"))?))
        };
        split(text).into_iter().map(column).collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn titles(&self) -> Vec<String> {
        self.0.iter().map(|(title, _)| title.clone()).collect()
    }

    /// The cells of an object. Several results are separated by commas.
    pub(crate) fn row(&self, object: &Value) -> Result<Vec<String>, String> {
        let cell = |(title, path): &(String, Path)| {
            let found =
                path.find(object).map_err(|why| format!("column {title} does not fit the objects: {why}"))?;
            Ok(match found.is_empty() {
                true => "<none>".to_owned(),
                false => found.into_iter().map(go_text).collect::<Vec<_>>().join(","),
            })
        };
        self.0.iter().map(cell).collect()
    }
}

/// Splits at commas, other than those within brackets and quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (place, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests;

//! Field selectors: `metadata.name=a,status.phase!=Running`.

/// A condition that a field has, or does not have, a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldTerm {
    label: String,
    value: String,
    equal: bool,
}

impl FieldTerm {
    /// The condition that the object has this name.
    pub(super) fn name(name: &str) -> Self {
        Self { label: "metadata.name".to_owned(), value: name.to_owned(), equal: true }
    }

    /// The path of the field, such as `metadata.name`.
    pub fn field(&self) -> &str {
        &self.label
    }

    /// The value that the field must have, or must not have.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Whether the field must have the value.
    pub fn is_equal(&self) -> bool {
        self.equal
    }

    /// Whether a field with this value fulfils the condition.
    pub fn holds(&self, value: &str) -> bool {
        (self.value == value) == self.equal
    }
}

/// Parses a selector; the error has the message of the real server. Whether the kind has these fields is checked elsewhere.
pub(super) fn parse(selector: &str) -> Result<Vec<FieldTerm>, String> {
    let mut found = Vec::new();
    for term in terms(selector).filter(|term| !term.is_empty()) {
        let Some((label, equal, value)) = split(term) else {
            return Err(format!("invalid selector: '{selector}'; can't understand '{term}'"));
        };
        found.push(FieldTerm { label: label.to_owned(), value: unescaped(value)?, equal });
    }
    Ok(found)
}

/// The parts between commas that are not escaped.
fn terms(selector: &str) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    selector.split(move |c| {
        let splits = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        splits
    })
}

/// Splits at the first operator.
fn split(term: &str) -> Option<(&str, bool, &str)> {
    let mut escaped = false;
    for (at, c) in term.char_indices() {
        if !escaped {
            for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
                if let Some(value) = term[at..].strip_prefix(operator) {
                    return Some((&term[..at], equal, value));
                }
            }
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

fn unescaped(value: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(c @ ('\\' | ',' | '=')) => text.push(c),
                other => {
                    let sequence: String = std::iter::once('\\').chain(other).collect();
                    return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
                }
            },
            ',' | '=' => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(c)
                ));
            }
            c => text.push(c),
        }
    }
    Ok(text)
}

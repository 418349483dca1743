//! Paths to the fields of an object, as users write them, and which of them may be dropped.

use std::fmt;
use std::str::FromStr;

use crate::json::{PathStep, string_end};

/// The path to a field of an object, such as `spec.containers[*].env` or
/// `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`.
///
/// Names are separated by dots; `[*]` goes through all elements of a list; a name with other characters than letters,
/// digits, `-`, `_`, `/` and `$` is written in `["…"]`, with the escapes of JSON.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct FieldPath(Vec<PathStep>);

/// The text is not the path of a field that can be dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} is not a path to a field: {problem}")]
pub(crate) struct ParseFieldPathError {
    path: String,
    problem: String,
}

impl FromStr for FieldPath {
    type Err = ParseFieldPathError;

    fn from_str(path: &str) -> Result<Self, ParseFieldPathError> {
        let path_to_drop = |steps: Vec<PathStep>| match kept(&steps) {
            Some(what) => Err(format!("{what} cannot be dropped, it tells which object and version this is")),
            None => Ok(Self(steps)),
        };
        parse(path).and_then(path_to_drop).map_err(|problem| ParseFieldPathError::new(path, problem))
    }
}

impl ParseFieldPathError {
    fn new(path: &str, problem: String) -> Self {
        Self { path: path.to_owned(), problem }
    }
}

fn parse(path: &str) -> Result<Vec<PathStep>, String> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() || steps.is_empty() {
        if let Some(bracket) = rest.strip_prefix('[') {
            let (step, after) = in_brackets(bracket, path.len() - rest.len())?;
            steps.push(step);
            rest = after;
        } else {
            if !steps.is_empty() {
                rest = rest.strip_prefix('.').ok_or("after `]` comes a dot or another `[`")?;
            }
            let end = rest.find(|c: char| !is_plain(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let at = path.len() - rest.len();
            match (name, after.chars().next()) {
                (_, Some(c)) if c != '.' && c != '[' => {
                    return Err(format!("{c:?} at {} must be written in [\"…\"]", at + end));
                }
                ("", _) => return Err(format!("there is no name at {at}")),
                _ => steps.push(PathStep::Name(name.to_owned())),
            }
            rest = after;
        }
    }
    Ok(steps)
}

/// What follows an opening bracket: `*]` or a quoted name and `]`.
fn in_brackets(text: &str, at: usize) -> Result<(PathStep, &str), String> {
    if let Some(after) = text.strip_prefix("*]") {
        return Ok((PathStep::Each, after));
    }
    let problem = || format!("the bracket at {at} must hold * or a name in double quotes");
    if !text.starts_with('"') {
        return Err(problem());
    }
    let end = string_end(text.as_bytes(), 0).ok_or_else(problem)?;
    let (quoted, after) = text.split_at_checked(end).ok_or_else(problem)?;
    let name = serde_json::from_str(quoted).map_err(|error| format!("{}: {error}", problem()))?;
    Ok((PathStep::Name(name), after.strip_prefix(']').ok_or_else(problem)?))
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '$')
}

/// The part of the path that an object cannot do without.
fn kept(steps: &[PathStep]) -> Option<&'static str> {
    let name = |place: usize| match steps.get(place) {
        Some(PathStep::Name(name)) => Some(name.as_str()),
        _ => None,
    };
    match (name(0)?, name(1)) {
        ("kind", _) => Some("kind"),
        ("apiVersion", _) => Some("apiVersion"),
        ("metadata", _) if steps.len() == 1 => Some("metadata"),
        ("metadata", Some("name")) => Some("metadata.name"),
        ("metadata", Some("namespace")) => Some("metadata.namespace"),
        ("metadata", Some("uid")) => Some("metadata.uid"),
        ("metadata", Some("resourceVersion")) => Some("metadata.resourceVersion"),
        _ => None,
    }
}

impl FieldPath {
    /// The path of a field that is only read, which may be any.
    pub(crate) fn to_read(path: &str) -> Result<Self, ParseFieldPathError> {
        parse(path).map(Self).map_err(|problem| ParseFieldPathError::new(path, problem))
    }

    pub(crate) fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Whether it leads to the uids of all owners.
    pub(crate) fn leads_to_owner_uids(&self) -> bool {
        use PathStep::{Each, Name};
        matches!(&*self.0, [Name(a), Name(b), Each, Name(c)] if a == "metadata" && b == "ownerReferences" && c == "uid")
    }

    /// Whether dropping this changes what the head of a record holds.
    pub(crate) fn touches_head(&self) -> bool {
        let inside = ["annotations", "managedFields"];
        matches!(self.0.first(), Some(PathStep::Name(name)) if name == "metadata")
            && !matches!(self.0.get(1), Some(PathStep::Name(name)) if inside.contains(&name.as_str()))
    }

    /// The paths of `kind` and `apiVersion`, which cannot be parsed because no user may drop them.
    pub(crate) fn of_type() -> [Self; 2] {
        ["kind", "apiVersion"].map(|name| Self(vec![PathStep::Name(name.to_owned())]))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Each => f.write_str("[*]")?,
                PathStep::Name(name) if !name.is_empty() && name.chars().all(is_plain) => {
                    write!(f, "{}{name}", if place == 0 { "" } else { "." })?;
                }
                PathStep::Name(name) => write!(f, "[{}]", serde_json::Value::from(name.as_str()))?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;

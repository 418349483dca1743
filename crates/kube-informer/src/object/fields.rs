//! Paths to fields, and dropping what they name from the JSON of an object without decoding it.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::object::walk::{skip_space, text_end, value_end};

/// The path to a field of an object, such as `spec.containers[*].env` or
/// `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`.
///
/// Names are separated by dots; `[*]` goes through all elements of a list; a name with other characters than letters,
/// digits, `-`, `_`, `/` and `$` is written in `["…"]`, with the escapes of JSON.
///
/// ```
/// use kube_informer::FieldPath;
///
/// let path: FieldPath = "spec.containers[*].env".parse()?;
/// assert_eq!(path.to_string(), "spec.containers[*].env");
/// assert!("spec..env".parse::<FieldPath>().is_err());
/// assert!("metadata.name".parse::<FieldPath>().is_err(), "what identifies an object cannot be dropped");
/// # Ok::<(), kube_informer::ParseFieldPathError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FieldPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Name(String),
    Each,
}

/// The text is not the path of a field that can be dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} is not a path to a field: {problem}")]
pub struct ParseFieldPathError {
    path: String,
    problem: String,
}

impl FromStr for FieldPath {
    type Err = ParseFieldPathError;

    fn from_str(path: &str) -> Result<Self, ParseFieldPathError> {
        let path_to_drop = |steps: Vec<Step>| match kept(&steps) {
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

fn parse(path: &str) -> Result<Vec<Step>, String> {
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
                _ => steps.push(Step::Name(name.to_owned())),
            }
            rest = after;
        }
    }
    Ok(steps)
}

/// What follows an opening bracket: `*]` or a quoted name and `]`.
fn in_brackets(text: &str, at: usize) -> Result<(Step, &str), String> {
    if let Some(after) = text.strip_prefix("*]") {
        return Ok((Step::Each, after));
    }
    let problem = || format!("the bracket at {at} must hold * or a name in double quotes");
    if !text.starts_with('"') {
        return Err(problem());
    }
    let end = text_end(text.as_bytes(), 0).ok_or_else(problem)?;
    let (quoted, after) = text.split_at_checked(end).ok_or_else(problem)?;
    let name = serde_json::from_str(quoted).map_err(|error| format!("{}: {error}", problem()))?;
    Ok((Step::Name(name), after.strip_prefix(']').ok_or_else(problem)?))
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '$')
}

/// The part of the path that an object cannot do without.
fn kept(steps: &[Step]) -> Option<&'static str> {
    let name = |place: usize| match steps.get(place) {
        Some(Step::Name(name)) => Some(name.as_str()),
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

    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether dropping this changes what the head of a record holds.
    pub(crate) fn touches_head(&self) -> bool {
        let inside = ["annotations", "managedFields"];
        matches!(self.0.first(), Some(Step::Name(name)) if name == "metadata")
            && !matches!(self.0.get(1), Some(Step::Name(name)) if inside.contains(&name.as_str()))
    }

    /// The paths of `kind` and `apiVersion`, which cannot be parsed because no user may drop them.
    pub(crate) fn of_type() -> [Self; 2] {
        ["kind", "apiVersion"].map(|name| Self(vec![Step::Name(name.to_owned())]))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Each => f.write_str("[*]")?,
                Step::Name(name) if !name.is_empty() && name.chars().all(is_plain) => {
                    write!(f, "{}{name}", if place == 0 { "" } else { "." })?;
                }
                Step::Name(name) => write!(f, "[{}]", serde_json::Value::from(name.as_str()))?,
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

/// Finds the parts of a document that paths name, for [`crate::object::cut::cut`].
///
/// Goes only into what lies on a path and steps over the rest. Where the document is not JSON, the search ends early; there
/// is no panic.
pub(crate) fn find(json: &[u8], paths: &[FieldPath], found: &mut Vec<Range<usize>>) {
    let paths: Vec<&[Step]> = paths.iter().map(|path| path.0.as_slice()).collect();
    walk(json, skip_space(json, 0), &paths, found);
}

/// Goes through the value at `at` and returns where it ends. Recurses no deeper than the longest path.
fn walk(json: &[u8], at: usize, paths: &[&[Step]], found: &mut Vec<Range<usize>>) -> Option<usize> {
    let in_object = match json.get(at)? {
        b'{' => true,
        b'[' => false,
        _ => return value_end(json, at),
    };
    // Only paths that go on this way: names within objects, `[*]` within lists.
    let paths: Vec<&[Step]> = paths
        .iter()
        .filter(|path| path.first().is_some_and(|step| matches!(step, Step::Name(_)) == in_object))
        .copied()
        .collect();
    if paths.is_empty() {
        return value_end(json, at);
    }
    let mut place = skip_space(json, at + 1);
    if matches!(json.get(place)?, b'}' | b']') {
        return Some(place + 1);
    }
    loop {
        let start = place;
        let mut key = None;
        if in_object {
            let end = text_end(json, place)?;
            key = Some(json.get(place..end)?);
            place = skip_space(json, end);
            if json.get(place)? != &b':' {
                return None;
            }
            place = skip_space(json, place + 1);
        }
        let below: Vec<&[Step]> =
            paths.iter().filter(|path| matches_step(path, key)).filter_map(|path| path.get(1..)).collect();
        let end = if below.iter().any(|path| path.is_empty()) {
            let end = value_end(json, place)?;
            found.push(start..end);
            end
        } else if below.is_empty() {
            value_end(json, place)?
        } else {
            walk(json, place, &below, found)?
        };
        place = skip_space(json, end);
        match json.get(place)? {
            b',' => place = skip_space(json, place + 1),
            b'}' | b']' => return Some(place + 1),
            _ => return None,
        }
    }
}

/// Whether a path begins with this key (still quoted), or with `[*]` where there is none.
fn matches_step(path: &[Step], key: Option<&[u8]>) -> bool {
    match (path.first(), key) {
        (Some(Step::Each), None) => true,
        (Some(Step::Name(name)), Some(quoted)) => {
            if quoted.contains(&b'\\') {
                return serde_json::from_slice::<String>(quoted).is_ok_and(|key| key == *name);
            }
            quoted.len() == name.len() + 2 && quoted.get(1..quoted.len() - 1) == Some(name.as_bytes())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;

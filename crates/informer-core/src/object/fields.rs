//! The paths to fields that an informer drops or reads.

use std::fmt;
use std::str::FromStr;

use informer_wire::path::{Path, PathError, Step};

/// The path to a field of an object, such as `spec.containers[*].env` or
/// `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`: of names and `[*]` only.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FieldPath(Path);

impl FromStr for FieldPath {
    type Err = PathError;

    fn from_str(path: &str) -> Result<Self, PathError> {
        let read = Self::to_read(path)?;
        match kept(read.steps()) {
            Some(what) => {
                let problem = format!("{what} cannot be dropped, it tells which object and version this is");
                Err(PathError::new(path, problem))
            }
            None => Ok(read),
        }
    }
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
    pub fn to_read(path: &str) -> Result<Self, PathError> {
        Path::parse_plain(path).map(Self)
    }

    /// Its steps, from the root of an object.
    pub fn steps(&self) -> &[Step] {
        self.0.steps()
    }

    /// Whether it leads to the uids of all owners.
    pub fn leads_to_owner_uids(&self) -> bool {
        use Step::{Each, Name};
        matches!(self.steps(), [Name(a), Name(b), Each, Name(c)] if a == "metadata" && b == "ownerReferences" && c == "uid")
    }

    /// Whether dropping this changes what the head of a record holds.
    pub(crate) fn touches_head(&self) -> bool {
        let inside = ["annotations", "managedFields"];
        matches!(self.steps().first(), Some(Step::Name(name)) if name == "metadata")
            && !matches!(self.steps().get(1), Some(Step::Name(name)) if inside.contains(&name.as_str()))
    }

    /// The paths of `kind` and `apiVersion`, which cannot be parsed because no user may drop them.
    pub(crate) fn of_type() -> [Self; 2] {
        ["kind", "apiVersion"].map(|name| Self(Path::of([Step::Name(name.to_owned())])))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;

//! The finalizers of the garbage collector: a delete adds or removes them, as its options say.

use crate::kinds::Resource;

/// Keeps an object until the garbage collector has taken it out of the owners of its dependents.
pub(crate) const ORPHAN: &str = "orphan";
/// Keeps an object until the garbage collector has deleted the dependents that block its deletion.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// What a delete says about dependents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Propagation {
    policy: Option<Policy>,
    /// The deprecated way to say it.
    orphan_dependents: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Background,
    Foreground,
    Orphan,
}

impl Propagation {
    /// `policy` is one of the three that there are, or empty.
    pub(super) fn new(policy: &str, orphan_dependents: Option<bool>) -> Self {
        let policy = match policy {
            "Background" => Some(Policy::Background),
            "Foreground" => Some(Policy::Foreground),
            "Orphan" => Some(Policy::Orphan),
            _ => None,
        };
        Self { policy, orphan_dependents }
    }

    /// Whether it says nothing.
    pub(super) fn is_unset(self) -> bool {
        self.policy.is_none() && self.orphan_dependents.is_none()
    }

    /// The finalizers of an object after a delete with these options, if they are not those that it has.
    pub(super) fn finalizers(self, resource: &Resource, old: &[&str]) -> Option<Vec<String>> {
        if resource.storage_id().is("", "events") {
            return None;
        }
        let asked = match (self.orphan_dependents, self.policy) {
            (Some(true), _) => Some(Policy::Orphan),
            (Some(false), _) => Some(Policy::Background),
            (None, policy) => policy,
        };
        // What is said overrides the finalizers that the object has, and these override the default of its kind.
        let has = old.iter().find_map(|finalizer| match *finalizer {
            ORPHAN => Some(Policy::Orphan),
            FOREGROUND => Some(Policy::Foreground),
            _ => None,
        });
        set(asked.or(has).unwrap_or_else(|| default_policy(resource)), old)
    }

    /// The same for a namespace. The real server has code of its own for them, in which not to orphan is to wait.
    pub(super) fn namespace_finalizers(self, old: &[&str]) -> Option<Vec<String>> {
        match (self.orphan_dependents, self.policy) {
            (Some(true), _) => set(Policy::Orphan, old),
            (Some(false), _) => set(Policy::Foreground, old),
            (None, Some(policy)) => set(policy, old),
            (None, None) => None,
        }
    }
}

/// What happens to dependents if neither the delete nor the object says so.
fn default_policy(resource: &Resource) -> Policy {
    match (&*resource.group, &*resource.version, &*resource.plural) {
        ("", "v1", "replicationcontrollers") | ("batch", "v1", "jobs") | ("batch", "v1beta1", "cronjobs") => {
            Policy::Orphan
        }
        _ => Policy::Background,
    }
}

/// Sets the finalizer of a policy, the only one of the two.
fn set(policy: Policy, old: &[&str]) -> Option<Vec<String>> {
    let added = match policy {
        Policy::Background => None,
        Policy::Foreground => Some(FOREGROUND),
        Policy::Orphan => Some(ORPHAN),
    };
    let is_of_collector = |finalizer: &str| finalizer == ORPHAN || finalizer == FOREGROUND;
    let is_same = old.iter().filter(|it| is_of_collector(it)).all(|it| Some(*it) == added)
        && added.is_none_or(|added| old.contains(&added));
    (!is_same).then(|| {
        let kept = old.iter().copied().filter(|finalizer| !is_of_collector(finalizer));
        kept.chain(added).map(str::to_owned).collect()
    })
}

//! The resources that a server serves, and finding one of them by any of its names.

use super::nearest::distance;
use crate::error::{NoResource, ResourceError};
use crate::kind::KindInfo;

/// How many similar names an error suggests for an unknown name.
const SUGGESTIONS: usize = 5;

/// A resource of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Served {
    pub(super) kind: KindInfo,
    pub(super) singular: String,
    pub(super) short_names: Vec<String>,
    /// Whether it can be listed and watched.
    pub(super) watchable: bool,
}

/// All resources of a server, in order of preference for a name without a group or version.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    pub(super) served: Vec<Served>,
    /// Groups whose discovery document could not be read, and why.
    pub(super) unavailable: Vec<String>,
}

/// A resource name as a user writes it, in one of the forms that `kubectl` accepts: a plural, singular or short name or
/// a kind, alone (`pods`, `pod`, `po`, `Pod`), with its group (`deployments.apps`) or with version and group
/// (`deployments.v1.apps`, `pods.v1`).
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceName<'a>(pub(super) &'a str);

/// One interpretation of a name. A part that is `None` matches anything.
struct Reading<'a> {
    name: &'a str,
    version: Option<&'a str>,
    group: Option<&'a str>,
}

impl<'a> ResourceName<'a> {
    fn readings(self) -> Vec<Reading<'a>> {
        let name = self.0;
        let Some((name, rest)) = name.split_once('.') else {
            return vec![Reading { name, version: None, group: None }];
        };
        let (version, group) = rest.split_once('.').unwrap_or((rest, ""));
        vec![
            Reading { name, version: None, group: Some(rest) },
            Reading { name, version: Some(version), group: Some(group) },
        ]
    }
}

impl Reading<'_> {
    fn may_be(&self, kind: &KindInfo) -> bool {
        self.group.is_none_or(|group| group == kind.group())
            && self.version.is_none_or(|version| version == kind.version())
    }
}

impl Served {
    /// How well a word names this resource: the lower, the better; `None` if it does not.
    fn named_by(&self, word: &str) -> Option<usize> {
        let is = |name: &str| !name.is_empty() && name.eq_ignore_ascii_case(word);
        let by_short = || self.short_names.iter().any(|name| is(name));
        let forms = [is(self.kind.plural()), is(&self.singular), is(self.kind.kind()), by_short()];
        forms.iter().position(|named| *named)
    }

    /// The edit distance between a word and the most similar name of this resource.
    fn distance(&self, word: &str) -> usize {
        let names = [self.kind.plural(), &self.singular, &self.kind.kind().to_lowercase()]
            .map(|name| distance(word, name));
        names.into_iter().min().unwrap_or(usize::MAX)
    }
}

impl Catalogue {
    /// The resource that a name means.
    pub(super) fn resolve(&self, name: ResourceName<'_>) -> Result<KindInfo, ResourceError> {
        let mut unwatchable = None;
        for reading in name.readings() {
            let named = |served: &&Served| Some((served.named_by(reading.name)?, !served.watchable));
            let candidates = self.served.iter().filter(|served| reading.may_be(&served.kind));
            let found = candidates
                .filter(|served| named(served).is_some())
                .min_by_key(|served| named(served).map(|(form, unwatchable)| (unwatchable, form)));
            match found {
                Some(served) if served.watchable => return Ok(served.kind.clone()),
                Some(served) => unwatchable = Some(served.kind.clone()),
                None => {}
            }
        }
        let why = match unwatchable {
            Some(kind) => NoResource::NotWatchable { kind },
            None => NoResource::Unknown {
                name: name.0.to_owned(),
                near: self.near(name),
                unavailable: self.unavailable.clone(),
            },
        };
        Err(why.into())
    }

    /// Known names that are similar to this one.
    fn near(&self, name: ResourceName<'_>) -> Vec<String> {
        let words = name.readings();
        let Some(word) = words.first().map(|reading| reading.name.to_lowercase()) else { return Vec::new() };
        let tolerance = (word.chars().count() / 3).max(1);
        let mut near: Vec<(usize, String)> = (self.served.iter())
            .filter(|served| served.watchable)
            .map(|served| (served.distance(&word), served.kind.resource()))
            .filter(|(distance, _)| *distance <= tolerance)
            .collect();
        near.sort_by_key(|(distance, _)| *distance);
        let mut names: Vec<String> = Vec::new();
        for (_, name) in near {
            if names.len() < SUGGESTIONS && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests;

//! The options of lists and watches.

use super::query::not_a_number;
use super::{Query, Verb};
use crate::status::{ApiError, Cause};

/// The options of a list, a watch or the deletion of a collection; decoded, defaulted and validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListOptions {
    /// As sent; [`Selector::parse`](crate::select::Selector::parse) parses it.
    pub(crate) label_selector: String,
    /// As sent, too.
    pub(crate) field_selector: String,
    pub(crate) allow_bookmarks: bool,
    /// As sent; [`version`](Self::version) parses it.
    pub(crate) resource_version: String,
    pub(crate) version_match: Option<VersionMatch>,
    /// How long a watch is to last; `None` if the server chooses.
    pub(crate) timeout_seconds: Option<u64>,
    /// The size of a page; zero for everything at once.
    pub(crate) limit: usize,
    /// Empty for none.
    pub(crate) continue_token: String,
    /// For watches only. Also set for a watch without a resourceVersion, because that asks for the current state first as
    /// well.
    pub(crate) send_initial_events: Option<bool>,
}

/// How exactly the resourceVersion of a request has to be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionMatch {
    /// That version and no other.
    Exact,
    /// That version or a later one.
    NotOlderThan,
}

impl ListOptions {
    /// Reads the options from a query; 400 for values that cannot be decoded, 422 for options that contradict each other.
    pub(crate) fn parse(query: &Query, verb: Verb) -> Result<Self, ApiError> {
        let timeout_seconds = query.integer("timeoutSeconds")?;
        let limit = query.integer("limit")?;
        let is_watch = verb == Verb::Watch || query.flag("watch") == Some(true);
        let version_match = query.text("resourceVersionMatch");
        let mut options = Self {
            label_selector: query.text("labelSelector").to_owned(),
            field_selector: query.text("fieldSelector").to_owned(),
            allow_bookmarks: query.flag("allowWatchBookmarks").unwrap_or(false),
            resource_version: query.text("resourceVersion").to_owned(),
            version_match: match version_match {
                "Exact" => Some(VersionMatch::Exact),
                "NotOlderThan" => Some(VersionMatch::NotOlderThan),
                _ => None,
            },
            timeout_seconds: timeout_seconds
                .and_then(|seconds| u64::try_from(seconds).ok())
                .filter(|&seconds| seconds > 0),
            limit: limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(0)),
            continue_token: query.text("continue").to_owned(),
            send_initial_events: query.flag("sendInitialEvents"),
        };
        let names_no_version = matches!(&*options.resource_version, "" | "0");
        if is_watch && names_no_version && version_match.is_empty() && options.send_initial_events.is_none() {
            options.send_initial_events = Some(true);
            options.version_match = Some(VersionMatch::NotOlderThan);
            return Ok(options);
        }
        let causes = if is_watch {
            options.contradictions_of_a_watch(version_match)
        } else {
            options.contradictions_of_a_list(version_match)
        };
        if causes.is_empty() {
            Ok(options)
        } else {
            Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", causes))
        }
    }

    /// The resourceVersion as a number; `None` if there is none. In the real server it is the
    /// storage that refuses an invalid one: with 400 for a list, with 500 for a watch.
    pub(crate) fn version(&self, verb: Verb) -> Result<Option<u64>, ApiError> {
        parse_version(&self.resource_version, verb)
    }

    fn contradictions_of_a_list(&self, version_match: &str) -> Vec<Cause> {
        let mut causes = Vec::new();
        let mut forbid = |why: &str| causes.push(Cause::forbidden("resourceVersionMatch", why));
        if !version_match.is_empty() {
            if self.resource_version.is_empty() {
                forbid("resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            if !self.continue_token.is_empty() {
                forbid("resourceVersionMatch is forbidden when continue is provided");
            }
            match self.version_match {
                Some(VersionMatch::Exact) if self.resource_version == "0" => {
                    forbid("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
                }
                Some(_) => {}
                None => causes.push(Cause::unsupported(
                    "resourceVersionMatch",
                    version_match,
                    &["Exact", "NotOlderThan", ""],
                )),
            }
        }
        if self.send_initial_events.is_some() {
            causes.push(Cause::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        causes
    }

    fn contradictions_of_a_watch(&self, version_match: &str) -> Vec<Cause> {
        let mut causes = Vec::new();
        let is_not_older_than = self.version_match == Some(VersionMatch::NotOlderThan);
        let mut forbid = |why: &str| causes.push(Cause::forbidden("resourceVersionMatch", why));
        if self.send_initial_events.is_some() && !is_not_older_than {
            forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if version_match.is_empty() {
            return causes;
        }
        if self.send_initial_events.is_none() {
            forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
        }
        if !is_not_older_than {
            let supported = &["NotOlderThan"];
            causes.push(Cause::unsupported("resourceVersionMatch", version_match, supported));
        }
        if !self.continue_token.is_empty() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            causes.push(Cause::forbidden("resourceVersionMatch", why));
        }
        causes
    }
}

/// The resourceVersion of a GET, LIST or WATCH as a number; `None` for none.
pub(crate) fn parse_version(version: &str, verb: Verb) -> Result<Option<u64>, ApiError> {
    if version.is_empty() {
        return Ok(None);
    }
    let number = version.bytes().all(|byte| byte.is_ascii_digit()).then(|| version.parse().ok()).flatten();
    if number.is_some() {
        return Ok(number);
    }
    let why = not_a_number("ParseUint", version, version);
    let why = format!("resourceVersion: Invalid value: {version:?}: {why}");
    Err(match verb {
        Verb::List | Verb::DeleteCollection => {
            ApiError::bad_request(format!("invalid resource version: {why}"))
        }
        _ => ApiError::internal(why),
    })
}

#[cfg(test)]
mod tests;

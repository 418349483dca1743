//! Reading the scope with LIST, in one piece or in pages.

use std::time::Instant;

use informer_wire::ResourceVersion;
use informer_wire::version::is_concrete;

use super::super::recovery::{Remedy, Trouble};
use super::{Action, Charge, Cursor, Delay, Mode, NextStep, backoff};
use crate::reflector::request::{ListParams, VersionMatch};
use crate::status::RelistReason;

/// The size of a page where the server would otherwise have to read everything from its storage at once.
const PAGE: u32 = 500;

/// A list being read.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    /// The version asked for: `""` for the most recent state, `"0"` for any, or the last one seen.
    version: String,
    limit: Option<u32>,
    /// The page asked for; `None` for the first.
    token: Option<String>,
    /// How many pages have been asked for by a token.
    pages: u64,
    /// The token of an earlier page: that of the first, second, fourth, eighth and so on. If the server's pages go round in a
    /// circle, a token comes back that was remembered here, however large the circle is, and one token is all that has to
    /// be kept.
    landmark: Option<String>,
    /// The version of the pages read so far.
    read: Option<ResourceVersion>,
    /// Whether this is the attempt in one piece, made after the version that the pages belong to was compacted away.
    whole: bool,
}

impl Listing {
    fn new(version: String, whole: bool) -> Self {
        Self { version, limit: None, token: None, pages: 0, landmark: None, read: None, whole }
    }

    fn concrete(&self) -> bool {
        !self.version.is_empty() && self.version != "0"
    }

    /// The request. Further pages name the token alone: it holds the version, and the server refuses another.
    fn params(&self) -> ListParams {
        if self.token.is_some() {
            return ListParams {
                limit: self.limit,
                continue_token: self.token.clone(),
                ..ListParams::default()
            };
        }
        ListParams {
            resource_version: self.version.clone(),
            // Without `resourceVersionMatch`, a version together with a limit means exactly that version, which may
            // have been compacted.
            version_match: self.concrete().then_some(VersionMatch::NotOlderThan),
            limit: self.limit,
            continue_token: None,
        }
    }
}

impl Cursor {
    /// The first request of a LIST: any state at first, later not older than what was seen, the most recent state
    /// when that cannot be had.
    pub(super) fn list_anew(&mut self) -> Action {
        let version = if self.latest {
            String::new()
        } else if self.last.is_empty() {
            "0".to_owned()
        } else {
            self.last.to_string()
        };
        let mut listing = Listing::new(version, false);
        // A cache answers a concrete version only without a limit, and ignores the limit for version 0.
        listing.limit = match self.rules.page_size {
            Some(size) => Some(size),
            None if self.pages_anything || !listing.concrete() => Some(PAGE),
            None => None,
        };
        self.list(listing)
    }

    fn list(&mut self, listing: Listing) -> Action {
        let action =
            Action::List { params: listing.params(), fresh: listing.token.is_none(), reuse: self.reuse };
        self.mode = Mode::Listing(listing);
        action
    }

    /// A LIST was read to its end: the version it belongs to, and the token of the next page if there is one. `forward`:
    /// it brought an object that the pages before had not. `None`: this was the last page, the list can be completed.
    pub fn page(
        &mut self,
        now: impl Into<Instant>,
        version: &ResourceVersion,
        token: Option<String>,
        forward: bool,
    ) -> Option<NextStep> {
        let now = now.into();
        let Mode::Listing(listing) = &self.mode else {
            return Some(self.failed(now, Trouble::NotAList("an answer nobody asked for".into()), None));
        };
        let mut listing = listing.clone();
        if !is_concrete(version) {
            let trouble = Trouble::NotAList("it has no resourceVersion".into());
            return Some(self.list_failed(now, &listing, trouble));
        }
        if listing.read.as_ref().is_some_and(|read| read != version) {
            return Some(self.list_failed(now, &listing, Trouble::MixedPages));
        }
        let token = token.filter(|token| !token.is_empty())?;
        if listing.landmark.as_ref() == Some(&token) {
            let trouble = Trouble::NotAList("its pages go round in a circle".into());
            return Some(self.list_failed(now, &listing, trouble));
        }
        if let Some(step) = self.instead_of(now, version) {
            // There is no need to read the other pages first.
            return Some(step);
        }
        self.pages_anything |= listing.version == "0";
        listing.read = Some(version.clone());
        listing.pages += 1;
        if listing.pages.is_power_of_two() {
            listing.landmark = Some(token.clone());
        }
        listing.token = Some(token);
        let charge = if forward { Charge::Free } else { Charge::Request };
        Some(NextStep::new(Delay::No, self.list(listing)).charged(charge))
    }

    /// Nothing of a failed list is used. Lost history is asked for in another way at once, everything else is a
    /// failed round.
    pub(super) fn list_failed(&mut self, now: Instant, listing: &Listing, trouble: Trouble) -> NextStep {
        let remedy = trouble.remedy();
        let unavailable = matches!(remedy, Remedy::Relist(RelistReason::Expired | RelistReason::TooLarge));
        let pages_lost = listing.token.is_some()
            && (trouble == Trouble::MixedPages || remedy == Remedy::Relist(RelistReason::Expired));
        let may_ask_for_latest = unavailable && !listing.version.is_empty();
        if pages_lost && !listing.whole {
            let version = listing.version.clone();
            return NextStep::new(Delay::No, self.list(Listing::new(version, true)))
                .reporting_unless_routine(trouble);
        }
        // A server that cannot read our version never will; without it there may be an answer.
        self.latest |= unavailable || (trouble.is_bad_request() && listing.concrete());
        if may_ask_for_latest {
            return NextStep::new(Delay::No, self.list_anew()).reporting_unless_routine(trouble);
        }
        let wait = if remedy == Remedy::AwaitKind { Delay::Kind } else { backoff(&trouble) };
        self.round(now, wait).reporting(trouble)
    }
}

//! Every request with its time, and how many there may be.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

use informer_core::scope::Scope;
use tokio::time::Instant;

use crate::source::{Request, Verb};

/// At most this many requests of a scope, and as many probes, in any such time.
const MOST: usize = 20;
const WINDOW: Duration = Duration::from_secs(10);

/// After this many requests of one run nothing is answered any more: a loop ends here.
const TOO_MANY: usize = 4_000;

pub(super) struct Journal {
    start: Instant,
    entries: Vec<(Instant, Request)>,
    scopes: BTreeMap<Scope, Heard>,
    /// The largest number within the window that was too large, and of what.
    worst: Option<(usize, String)>,
}

/// What has been heard of one scope.
#[derive(Default)]
struct Heard {
    requests: VecDeque<Instant>,
    probes: VecDeque<Instant>,
    pages: Pages,
}

/// The pages of the list that is being read.
#[derive(Default)]
struct Pages {
    /// The keys that have come.
    keys: BTreeSet<String>,
    /// The token to ask for the next page with, if the last one brought a new key.
    forward: Option<String>,
    /// The honest server's tokens always lead on; each is to be asked for once.
    honest: BTreeSet<String>,
}

impl Journal {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), entries: Vec::new(), scopes: BTreeMap::new(), worst: None }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// A request comes in. `false` if there have been so many that it is not to be answered.
    pub(super) fn note(&mut self, request: &Request, now: Instant) -> bool {
        self.entries.push((now, request.clone()));
        let first = !self.scopes.contains_key(&request.scope);
        let heard = self.scopes.entry(request.scope.clone()).or_default();
        let probe = is_probe(request);
        let free = !probe && heard.pages.asked(request);
        let (recent, what) =
            if probe { (&mut heard.probes, "probes") } else { (&mut heard.requests, "requests") };
        if !first && !free {
            recent.push_back(now);
            while recent.front().is_some_and(|time| now.saturating_duration_since(*time) >= WINDOW) {
                recent.pop_front();
            }
            if recent.len() > MOST && self.worst.as_ref().is_none_or(|(worst, _)| recent.len() > *worst) {
                self.worst = Some((recent.len(), format!("{what} of {}", request.scope)));
            }
        }
        self.entries.len() <= TOO_MANY
    }

    /// A page goes out, with these keys and the token of the next one.
    pub(super) fn page(&mut self, request: &Request, keys: Vec<String>, token: Option<&String>) {
        let Verb::List(params) = &request.verb else { return };
        if let Some(heard) = self.scopes.get_mut(&request.scope) {
            let before = heard.pages.keys.len();
            heard.pages.keys.extend(keys);
            let another = token.filter(|token| params.continue_token.as_ref() != Some(token));
            heard.pages.forward = another.filter(|_| heard.pages.keys.len() > before).cloned();
        }
    }

    pub(super) fn check(&self) {
        let Some((worst, what)) = &self.worst else { return };
        let passed = self.start.elapsed();
        let count = self.entries.len();
        let mut text = format!(
            "{worst} {what} within {WINDOW:?}, at most {MOST} may be; {count} requests in {passed:?} in all\
             {}; the last ones:",
            if count > TOO_MANY { ", then no answer" } else { "" },
        );
        for (time, request) in self.entries.iter().skip(count.saturating_sub(10)) {
            let at = time.saturating_duration_since(self.start);
            write!(text, "\n{at:>12.3?} {} {}", request.scope, request.query()).expect("a String");
        }
        panic!("{text}");
    }
}

impl Pages {
    /// Whether the request is for the next page of a list that went forward. Another list starts anew.
    fn asked(&mut self, request: &Request) -> bool {
        let Verb::List(params) = &request.verb else { return false };
        let Some(token) = &params.continue_token else {
            *self = Self::default();
            return false;
        };
        // Only the honest server's tokens have a colon.
        (token.contains(':') && self.honest.insert(token.clone()))
            || self.forward.take().as_ref() == Some(token)
    }
}

/// A list of one object: a question about it, or about the version the server is at.
pub(super) fn is_probe(request: &Request) -> bool {
    let Verb::List(params) = &request.verb else { return false };
    let of_one_name = request.field_selector.as_ref().is_some_and(|fields| fields.contains("metadata.name="));
    of_one_name || (params.limit == Some(1) && params.continue_token.is_none())
}

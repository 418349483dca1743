//! A watch that brings nothing: is nothing happening, or is the server gone?
//!
//! A peer that vanished says nothing, and neither does one whose process hangs: its kernel keeps the connection open. A watch
//! on an idle kind is just as silent, because servers send bookmarks only if something has happened.
//!
//! Where the transport makes sure that the peer lives (HTTP/2 pings), what is left to find out is whether the *stream* does.
//! A consistent LIST moves the server's cache on, so that a bookmark has to follow on the watch. Where the transport cannot
//! tell, another watch is opened at the same version, and takes the place of the silent one as soon as the server has accepted
//! it.
//!
//! A watch that was not even accepted may be held up by a proxy, which passes on the head of an answer together with the
//! first bytes of its body. There a further watch would be held up too, so here as well it is the bookmark that tells.
//!
//! The watch is read all the while, also while what is done about its silence has to wait for its allowance.

use std::future::pending;
use std::mem::replace;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::{Instant, sleep_until, timeout};

use super::Reflector;
use super::budget::Budget;
use super::connection::{Arrival, open};
use super::driver::Driver;
use super::recovery::Trouble;
use super::watch::Watch;
use crate::source::{ByteStream, HttpSources, ListParams, SourceError, Verb};
use crate::status::Phase;

/// How soon a bookmark follows a consistent LIST: servers send them every minute.
const BOOKMARK: Duration = Duration::from_secs(65);

/// A question that is not answered by then is shown as a stall.
const PROMPT: Duration = Duration::from_secs(1);

/// What is to be done about the silence.
pub(super) enum Turn {
    /// Ask the server for a consistent list of one object; see [`Vigil::asked`].
    Ask,
    /// Show that the server does not answer, or that it does again.
    Show { stalled: bool },
    /// Open another watch; see [`Vigil::replacing`].
    Replace,
    /// The other watch was accepted and takes the place of this one.
    Replaced(Box<Watch>),
    /// The other watch was not accepted.
    Failed(SourceError),
    /// Nothing was answered for this long.
    Dead(Duration),
}

/// What happened to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a list.
    Listed,
    /// The server is there, but does not let us list.
    Refused,
    /// The server is there, and asks us to come later.
    Busy,
    /// The server is not there.
    Nothing,
}

/// Waits beside a watch for as long as it brings nothing.
pub(super) struct Vigil {
    /// Since when the watch is silent.
    from: Instant,
    /// How long it may be silent before something is done. The server may take half of that for an answer.
    idle: Duration,
    /// Whether another watch, once it is accepted, may take the place of this one. Otherwise this one is given up.
    replaceable: bool,
    stage: Stage,
}

enum Stage {
    /// It is silent, until this moment without consequences.
    Silent { until: Instant, then: Then },
    /// The server was asked; `prompt` is when that is shown as a stall.
    Asking { answer: BoxFuture<'static, Answer>, prompt: Option<Instant> },
    /// Another watch was opened.
    Replacing { watch: Box<Watch>, prompt: Option<Instant>, until: Instant },
    /// Nothing more is done in this silence, or what is done is up to the caller.
    Resting,
}

#[derive(Clone, Copy)]
enum Then {
    Ask,
    Replace,
    Dead,
}

impl Vigil {
    /// For a watch that is silent from now on. `pings`: whether the transport notices a dead peer; if that is not known, the
    /// source is one that looks after itself. `accepted`: whether the server's acceptance of a watch arrives by itself, as it
    /// has for this one. `chance` between 0 and 1 spreads what many watches do.
    pub(super) fn new(pings: Option<bool>, accepted: bool, idle: Duration, chance: f64) -> Self {
        let mut vigil = Self { from: Instant::now(), idle, replaceable: accepted, stage: Stage::Resting };
        match pings {
            None => {}
            Some(false) if accepted => {
                vigil.after(idle.saturating_add(idle.mul_f64(chance / 2.0)), Then::Replace);
            }
            Some(_) => vigil.after(idle, Then::Ask),
        }
        vigil
    }

    /// Does nothing for a while. The longest durations mean for ever.
    fn after(&mut self, silence: Duration, then: Then) {
        let until = Instant::now().checked_add(silence);
        self.stage = until.map_or(Stage::Resting, |until| Stage::Silent { until, then });
    }

    /// A question is on its way.
    pub(super) fn asked(&mut self, answer: BoxFuture<'static, Answer>) {
        let answer = timeout(self.idle / 2, answer);
        let answer = Box::pin(async move { answer.await.unwrap_or(Answer::Nothing) });
        self.stage = Stage::Asking { answer, prompt: Some(Instant::now() + PROMPT) };
    }

    /// Another watch is being opened.
    pub(super) fn replacing(&mut self, watch: Watch) {
        let now = Instant::now();
        let (prompt, until) = (Some(now + PROMPT), now + self.idle / 2);
        self.stage = Stage::Replacing { watch: Box::new(watch), prompt, until };
    }

    /// The server does not want another watch now. The silent one stays, and it is tried again later.
    pub(super) fn later(&mut self) {
        self.after(self.idle, Then::Replace);
    }

    /// What follows if nothing comes although the server is there.
    fn in_the_end(&self) -> Then {
        if self.replaceable { Then::Replace } else { Then::Dead }
    }

    /// Waits until something is to be done. Nothing is lost if the wait is given up.
    pub(super) async fn turn(&mut self) -> Turn {
        match &mut self.stage {
            Stage::Resting => pending().await,
            Stage::Silent { until, then } => {
                sleep_until(*until).await;
                let then = *then;
                self.stage = Stage::Resting;
                match then {
                    Then::Ask => Turn::Ask,
                    Then::Replace => Turn::Replace,
                    Then::Dead => Turn::Dead(self.from.elapsed()),
                }
            }
            Stage::Asking { answer, prompt } => {
                let answer = tokio::select! {
                    biased;
                    answer = answer => answer,
                    () = at(*prompt) => {
                        *prompt = None;
                        return Turn::Show { stalled: true };
                    }
                };
                self.stage = Stage::Resting;
                match answer {
                    Answer::Listed => self.after(BOOKMARK, self.in_the_end()),
                    Answer::Refused => {}
                    Answer::Busy => self.after(self.idle, Then::Ask),
                    Answer::Nothing if self.replaceable => return Turn::Replace,
                    Answer::Nothing => return Turn::Dead(self.from.elapsed()),
                }
                Turn::Show { stalled: false }
            }
            Stage::Replacing { watch, prompt, until } => {
                let arrival = tokio::select! {
                    biased;
                    arrival = watch.connection.arrival() => arrival,
                    () = at(*prompt) => {
                        *prompt = None;
                        return Turn::Show { stalled: true };
                    }
                    () = sleep_until(*until) => return Turn::Dead(self.from.elapsed()),
                };
                match (arrival, replace(&mut self.stage, Stage::Resting)) {
                    (Arrival::Failed(error), _) => Turn::Failed(error),
                    (_, Stage::Replacing { watch, .. }) => Turn::Replaced(watch),
                    _ => pending().await,
                }
            }
        }
    }
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// What an answer to the question says.
fn judge(answer: Result<ByteStream, SourceError>) -> Answer {
    match answer {
        Ok(_) => Answer::Listed,
        Err(error) if matches!(error.http_status(), Some(401 | 403 | 404 | 405)) => Answer::Refused,
        Err(error) if !error.is_transport() => Answer::Busy,
        Err(_) => Answer::Nothing,
    }
}

/// Takes a request from a budget, or says how long it takes until there is one.
fn allowance(budget: &mut Budget) -> Option<Duration> {
    let now = Instant::now();
    let wait = budget.wait(now);
    if !wait.is_zero() {
        return Some(wait);
    }
    budget.take(now);
    None
}

impl Driver {
    pub(super) fn vigil(&mut self, watch: &Watch) -> Vigil {
        let Reflector { source, settings, rng, .. } = &mut self.reflector;
        let pings = source.server().and_then(HttpSources::pings);
        let accepted = watch.connection.lasted().is_some() && !self.heads_held;
        Vigil::new(pings, accepted, settings.idle_watch, rng.f64())
    }

    /// Does something about a watch that is silent. `Some`: that is what the watch brings. Does not wait: the watch has to be read
    /// meanwhile.
    pub(super) fn silent(
        &mut self,
        watch: &mut Watch,
        vigil: &mut Vigil,
        what: Turn,
    ) -> Result<Option<Arrival>, Trouble> {
        match what {
            Turn::Ask => {
                if let Some(wait) = allowance(&mut self.reflector.probes.lock()) {
                    vigil.after(wait, Then::Ask);
                    return Ok(None);
                }
                let params = ListParams { limit: Some(1), ..ListParams::default() };
                let request = self.reflector.target.request(Verb::List(params));
                self.reflector.status.edit(|status| status.probes += 1);
                let answer = open(&*self.reflector.source, request);
                vigil.asked(Box::pin(async { judge(answer.await) }));
            }
            Turn::Show { stalled: true } => {
                self.reflector.status.enter(Phase::Stalled, Instant::now());
            }
            Turn::Show { stalled: false } => self.show_phase(),
            Turn::Replace => {
                // Charged as any other, or an `idle_watch` of a millisecond would be a hot loop.
                if let Some(wait) = allowance(&mut self.requests) {
                    self.reflector.status.enter(Phase::Throttled, Instant::now());
                    vigil.after(wait, Then::Replace);
                    return Ok(None);
                }
                vigil.replacing(self.open_watch(self.cursor.last().to_string(), false));
            }
            Turn::Replaced(other) => {
                self.witness.resuming();
                self.reflector.status.reconnect("silent");
                self.cursor.replaced();
                *watch = *other;
                watch.replaced = true;
                return Ok(Some(Arrival::Answered));
            }
            // The watch that there is may be as good as any: an overloaded server does not get all of them anew.
            Turn::Failed(error) if matches!(error.http_status(), Some(429 | 500..)) => {
                self.show_phase();
                vigil.later();
            }
            Turn::Failed(error) => return Ok(Some(Arrival::Failed(error))),
            Turn::Dead(silence) => return Err(Trouble::Silent(silence)),
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;

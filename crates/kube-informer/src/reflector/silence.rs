//! A watch that brings nothing: is nothing happening, or is the server gone?
//!
//! A peer that vanished says nothing, and neither does one whose process hangs: its kernel keeps the connection open. Idle
//! kinds are as silent as they are, because servers send bookmarks only if something has happened.
//!
//! Where the transport makes sure that the peer lives (HTTP/2 pings), what is left to find out is whether the *stream* does.
//! A consistent LIST moves the server's cache on, so that a bookmark has to follow on the watch. Where the transport cannot
//! tell, another watch is opened at the same version, and takes the place of the silent one as soon as the server has accepted
//! it.

use std::future::pending;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::{Instant, sleep_until, timeout};

use super::connection::{Arrival, Connection};
use crate::source::{ByteStream, SourceError};

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
    Replaced(Box<Connection>),
    /// The other watch was not accepted.
    Failed(SourceError),
    /// The other watch was not answered at all.
    Dead,
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
    stage: Stage,
    /// How long the server may take for an answer.
    patience: Duration,
}

enum Stage {
    /// It is not silent for long yet.
    Silent {
        until: Instant,
        then: fn() -> Turn,
    },
    /// It was decided what to do, and is being done.
    Deciding,
    Asking {
        answer: BoxFuture<'static, Answer>,
        prompt: Option<Instant>,
    },
    /// A bookmark has to come.
    Expecting {
        until: Instant,
    },
    Replacing {
        connection: Option<Box<Connection>>,
        prompt: Option<Instant>,
        until: Instant,
    },
    /// Nothing more can be done.
    Resting,
}

impl Vigil {
    /// For a watch that is silent from now on. `pings`: whether the transport notices a dead peer; if that is not known, the
    /// source is one that looks after itself. `answered`: whether the server has accepted the watch. `chance` between 0 and 1
    /// spreads what many watches do.
    pub(super) fn new(pings: Option<bool>, answered: bool, idle: Duration, chance: f64) -> Self {
        let from = Instant::now();
        let stage = match (pings, answered) {
            (None, _) => Stage::Resting,
            (Some(true), true) => after(from, idle, || Turn::Ask),
            (Some(false), true) => {
                after(from, idle.saturating_add(idle.mul_f64(chance / 2.0)), || Turn::Replace)
            }
            (Some(_), false) => after(from, idle.saturating_add(idle / 2), || Turn::Dead),
        };
        Self { stage, patience: idle / 2 }
    }

    /// A question is on its way.
    pub(super) fn asked(&mut self, answer: BoxFuture<'static, Answer>) {
        let patience = self.patience;
        let answer = Box::pin(async move { timeout(patience, answer).await.unwrap_or(Answer::Nothing) });
        self.stage = Stage::Asking { answer, prompt: Some(Instant::now() + PROMPT) };
    }

    /// Another watch is being opened.
    pub(super) fn replacing(&mut self, connection: Connection) {
        let now = Instant::now();
        let (prompt, until) = (Some(now + PROMPT), now + self.patience);
        self.stage = Stage::Replacing { connection: Some(Box::new(connection)), prompt, until };
    }

    /// The server does not want another watch now. The silent one stays, and it is tried again later.
    pub(super) fn later(&mut self) {
        self.stage = after(Instant::now(), self.patience * 2, || Turn::Replace);
    }

    /// Waits until something is to be done. Nothing is lost if the wait is given up.
    pub(super) async fn turn(&mut self) -> Turn {
        loop {
            let (turn, next) = match &mut self.stage {
                Stage::Resting | Stage::Deciding => return pending().await,
                Stage::Silent { until, then } => {
                    sleep_until(*until).await;
                    (then(), Stage::Deciding)
                }
                Stage::Expecting { until } => {
                    sleep_until(*until).await;
                    (Turn::Replace, Stage::Deciding)
                }
                Stage::Asking { answer, prompt } => {
                    let answer = tokio::select! {
                        biased;
                        answer = &mut *answer => answer,
                        () = at(*prompt) => {
                            *prompt = None;
                            return Turn::Show { stalled: true };
                        }
                    };
                    match answer {
                        Answer::Listed => {
                            let until = Instant::now() + BOOKMARK;
                            (Turn::Show { stalled: false }, Stage::Expecting { until })
                        }
                        Answer::Refused => (Turn::Show { stalled: false }, Stage::Resting),
                        Answer::Busy => (
                            Turn::Show { stalled: false },
                            after(Instant::now(), self.patience * 2, || Turn::Ask),
                        ),
                        Answer::Nothing => (Turn::Replace, Stage::Deciding),
                    }
                }
                Stage::Replacing { connection, prompt, until } => {
                    let Some(opened) = connection else { return pending().await };
                    tokio::select! {
                        biased;
                        arrival = opened.arrival() => match arrival {
                            Arrival::Failed(error) => (Turn::Failed(error), Stage::Deciding),
                            _ => match connection.take() {
                                Some(connection) => (Turn::Replaced(connection), Stage::Deciding),
                                None => continue,
                            },
                        },
                        () = at(*prompt) => {
                            *prompt = None;
                            return Turn::Show { stalled: true };
                        }
                        () = sleep_until(*until) => (Turn::Dead, Stage::Deciding),
                    }
                }
            };
            self.stage = next;
            return turn;
        }
    }
}

fn after(from: Instant, silence: Duration, then: fn() -> Turn) -> Stage {
    // The longest durations mean never.
    from.checked_add(silence).map_or(Stage::Resting, |until| Stage::Silent { until, then })
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => pending().await,
    }
}

/// What an answer to the question says.
pub(super) fn judge(answer: Result<ByteStream, SourceError>) -> Answer {
    match answer {
        Ok(_) => Answer::Listed,
        Err(error) if matches!(error.http_status(), Some(401 | 403 | 404 | 405)) => Answer::Refused,
        Err(error) if !error.is_transport() => Answer::Busy,
        Err(_) => Answer::Nothing,
    }
}

#[cfg(test)]
mod tests;

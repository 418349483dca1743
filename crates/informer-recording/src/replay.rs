//! Which recorded answer a request gets, and when.

mod body;
mod choice;
mod clock;
mod source;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

pub(crate) use self::body::Playing;
use self::choice::Suits;
pub(crate) use self::clock::Clock;
pub use self::source::ReplayedSource;
use crate::exchange::Exchange;
use crate::record::RequestLine;
use crate::recording::Contents;
use crate::split::Form;
use crate::target::Target;

/// How fast a recording is replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Speed {
    /// Everything comes as late as it came.
    #[default]
    AsRecorded,
    /// So many times as fast.
    Times(f64),
    /// As soon as it is asked for.
    Fastest,
}

/// A text is not a [`Speed`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected how many times as fast, such as 1, 10 or 0.5, or `max`")]
#[non_exhaustive]
pub struct SpeedError(());

/// `1`, `10`, `0.5`, or `max`.
impl FromStr for Speed {
    type Err = SpeedError;

    fn from_str(text: &str) -> Result<Self, SpeedError> {
        match (text, text.strip_suffix('x').unwrap_or(text).parse::<f64>()) {
            ("max", _) => Ok(Self::Fastest),
            (_, Ok(1.0)) => Ok(Self::AsRecorded),
            (_, Ok(times)) if times.is_finite() && (0.001..=1e6).contains(&times) => Ok(Self::Times(times)),
            _ => Err(SpeedError(())),
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsRecorded => f.write_str("as recorded"),
            Self::Times(times) => write!(f, "{times} times as fast as recorded"),
            Self::Fastest => f.write_str("as fast as possible"),
        }
    }
}

/// How far a recording has been replayed.
pub(crate) struct Replay {
    speed: Speed,
    state: Mutex<ReplayState>,
    /// Lists and watches that have not been read to their end.
    remaining: watch::Sender<usize>,
}

struct ReplayState {
    uses: Vec<Use>,
    /// Since the first request.
    clock: Option<Clock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Unused,
    Open,
    Over,
    LeftOut,
}

/// A request that is looked for in a recording.
pub(crate) struct Asked<'a> {
    pub(crate) line: &'a RequestLine,
    pub(crate) target: &'a Target,
    /// Whether the last answer is given again if there is none left.
    pub(crate) repeats: bool,
    /// Whether somebody else has an answer as well: it does not have to be one that was meant for another client or is far
    /// away, and one that nobody read to its end may end there.
    pub(crate) has_choice: bool,
}

/// How a request is answered.
pub(crate) enum Match {
    /// As this one was.
    Recorded(Playing),
    /// Nothing like it is left, but it was asked for before: nothing more happens.
    Silent,
    /// Lists are not streamed in this recording: it can be asked for as a list.
    NotStreamed,
    /// It was never asked for.
    Unknown,
}

impl Replay {
    pub(crate) fn new(contents: &Contents, speed: Speed) -> Self {
        let uses = vec![Use::Unused; contents.exchanges.len()];
        let remaining = contents.exchanges.iter().filter(|exchange| exchange.is_of_objects()).count();
        Self {
            speed,
            state: Mutex::new(ReplayState { uses, clock: None }),
            remaining: watch::Sender::new(remaining),
        }
    }

    pub(crate) fn speed(&self) -> Speed {
        self.speed
    }

    pub(crate) fn leave_out(&self, unwanted: impl Fn(&Exchange) -> bool, contents: &Contents) {
        let mut state = self.state.lock();
        for (exchange, used) in contents.exchanges.iter().zip(&mut state.uses) {
            if *used == Use::Unused && unwanted(exchange) {
                *used = Use::LeftOut;
                if exchange.is_of_objects() {
                    self.remaining.send_modify(|remaining| *remaining -= 1);
                }
            }
        }
    }

    pub(crate) fn remaining(&self) -> usize {
        *self.remaining.borrow()
    }

    pub(crate) async fn wait_ended(&self) {
        // The sender is ours, so this cannot fail.
        let _ = self.remaining.subscribe().wait_for(|remaining| *remaining == 0).await;
    }

    /// The answer to a request: the first that was not given yet to the same request, or else to one for the same objects of
    /// another version.
    pub(crate) fn find(self: &Arc<Self>, contents: &Arc<Contents>, asked: &Asked<'_>) -> Match {
        let Asked { line: asked, target, repeats, has_choice } = *asked;
        let mut state = self.state.lock();
        let suits = has_choice.then(|| Suits::new(state.clock, &state, contents, target));
        let of_request = |at: &usize| {
            let line = &contents.exchanges[*at].line;
            // Whoever wants a document in another form takes it as it is as well.
            let same_form =
                line.form == asked.form || (line.form.is_none() && target.form() == Form::Document);
            line.method == asked.method && same_form
        };
        let all = || (0..contents.exchanges.len()).filter(of_request);
        let same = |at: &usize| contents.exchanges[*at].target == *target;
        let like = |at: &usize| contents.exchanges[*at].target.resembles(target);
        let unused = |at: &usize| {
            state.uses[*at] == Use::Unused
                && suits.as_ref().is_none_or(|suits| suits.allows(&contents.exchanges[*at]))
        };
        let found = all().filter(same).find(unused).or_else(|| all().filter(like).find(unused));
        let again =
            || all().rfind(same).or_else(|| all().rfind(like)).filter(|_| repeats && !target.is_watch());
        match found.or_else(again) {
            Some(at) => {
                let began = contents.exchanges[at].at;
                let clock = *state.clock.get_or_insert_with(|| Clock::start(self.speed, began));
                if state.uses[at] == Use::Unused {
                    state.uses[at] = Use::Open;
                }
                Match::Recorded(Playing::new(self.clone(), contents.clone(), at, clock, has_choice))
            }
            None if target.is_streaming_list() => {
                let is_list = |at: &usize| {
                    let other = &contents.exchanges[*at];
                    other.is_of_objects() && other.target.path == target.path && !other.target.is_watch()
                };
                if all().filter(is_list).any(|at| unused(&at)) {
                    Match::NotStreamed
                } else if all().any(|at| same(&at) || like(&at)) {
                    Match::Silent
                } else {
                    Match::Unknown
                }
            }
            None if target.is_watch()
                && all().any(|at| contents.exchanges[at].target.path == target.path) =>
            {
                Match::Silent
            }
            None => Match::Unknown,
        }
    }

    /// Whether there is an answer left to a later request for the same objects.
    fn goes_on_after(&self, contents: &Contents, at: usize) -> bool {
        let state = self.state.lock();
        let path = &contents.exchanges[at].target.path;
        let later = contents.exchanges.iter().zip(&state.uses).skip(at + 1);
        later
            .filter(|(exchange, _)| exchange.is_of_objects() && exchange.target.path == *path)
            .any(|(_, used)| *used == Use::Unused)
    }

    /// The answer has been given to its end, or nobody reads it any more.
    fn over(&self, at: usize, exchange: &Exchange) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.uses[at], Use::Over) == Use::Open && exchange.is_of_objects() {
            self.remaining.send_modify(|remaining| *remaining = remaining.saturating_sub(1));
        }
    }

    /// The time of the replay, which begins now if it has not begun.
    pub(crate) fn clock(&self, contents: &Contents) -> Clock {
        let began = contents.exchanges.first().map(|first| first.at).unwrap_or_default();
        *self.state.lock().clock.get_or_insert_with(|| Clock::start(self.speed, began))
    }
}

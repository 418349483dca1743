//! A server that answers anything: whatever is legal in HTTP and JSON, however little sense it makes, and then an honest
//! one takes its place.
//!
//! | file | does |
//! |---|---|
//! | `recipe` | what an answer is made of, and which answer a request gets |
//! | `lies` | versions, objects and events that no honest server would send |
//! | `serve` | recipe → bytes |
//! | `body` | bytes as they come in: with pauses, cut, silent, dripping |
//! | `journal` | every request with its time, and how many there may be |
//!
//! What is told before the honest server takes over can be told from what that one says: it has moved its version on
//! and forgotten its history, so a version told so far is either too old for it or far ahead of it. No client could
//! notice anything else.

mod body;
mod journal;
mod lies;
mod recipe;
mod serve;

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use self::body::{Parting, parted, reset};
use self::journal::Journal;
use self::lies::Lies;
pub(super) use self::recipe::{
    Choice, End, Events, ListEnd, Mark, Menu, Page, Recipe, Tokens, Versions, What,
};
use self::serve::Answer;
use crate::source::{ByteStream, ListWatch, Request, ScriptedSource, SourceError};

/// The honest server is this far ahead of everything told before, but for versions that are far ahead of it.
const TAKE_OVER: u64 = 10_000_000;

/// Answers anything until the honest server takes over. Clones are handles on the same server.
#[derive(Clone)]
pub(super) struct Anything {
    honest: ScriptedSource,
    state: Arc<Mutex<State>>,
    parting: Arc<watch::Sender<Parting>>,
}

struct State {
    random: Rng,
    menu: Menu,
    lies: Lies,
    journal: Journal,
    /// How many tokens of further pages have been given.
    tokens: u64,
    /// How long an answer takes at most, in milliseconds.
    latency: u64,
}

impl Anything {
    /// Answers take up to `latency` milliseconds.
    pub(super) fn new(honest: ScriptedSource, menu: Menu, seed: u64, latency: u64) -> Self {
        let random = Rng::with_seed(seed);
        let lies = Lies::new(Rng::with_seed(!seed));
        let state = State { random, menu, lies, journal: Journal::new(), tokens: 0, latency };
        let parting = Arc::new(watch::Sender::new(Parting::Lying));
        Self { honest, state: Arc::new(Mutex::new(state)), parting }
    }

    /// From here on requests are answered honestly. What is under way ends in some way, or stays as it is for ever.
    pub(super) fn hand_over(&self) {
        let parting =
            self.state.lock().random.choice([Parting::Reset, Parting::End, Parting::Left]).expect("three");
        self.honest.advance(TAKE_OVER);
        self.honest.compact();
        self.honest.cut_watches();
        self.parting.send_replace(parting);
    }

    /// How many requests have come in.
    pub(super) fn requests(&self) -> usize {
        self.state.lock().journal.len()
    }

    /// Panics if there were more requests than there may be.
    pub(super) fn check(&self) {
        self.state.lock().journal.check();
    }
}

impl ListWatch for Anything {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let this = self.clone();
        Box::pin(async move {
            let mut parting = this.parting.subscribe();
            let (latency, answer) = {
                let mut state = this.state.lock();
                if !state.journal.note(&request, Instant::now()) {
                    // A loop without an end: it rests here, so that the test comes to say so.
                    (0, None)
                } else if *parting.borrow() != Parting::Lying {
                    (0, Some(Answer::Honest))
                } else {
                    let answer = state.answer(&this.honest, &request);
                    let most = state.latency;
                    (state.random.u64(0..=most), Some(answer))
                }
            };
            if latency > 0 {
                sleep(Duration::from_millis(latency)).await;
            }
            match answer {
                None => std::future::pending().await,
                Some(Answer::Honest) => this.honest.open(request).await,
                Some(Answer::Fail(error)) => Err(error),
                Some(Answer::Body(body)) => Ok(body.stream(parting)),
                Some(Answer::Never) => match parted(&mut parting).await {
                    Parting::Left => std::future::pending().await,
                    _ => Err(reset()),
                },
            }
        })
    }
}

//! What an answer is made of, and which answer a request gets.

use std::time::Duration;

use fastrand::Rng;
use informer_wire::status::ErrorBody;

use super::journal::is_probe;
use crate::source::{Request, Status, Verb};

/// How one request is answered.
#[derive(Clone, Debug)]
pub(in super::super) enum Recipe {
    /// As the honest server would.
    Honest,
    /// Not even with a status.
    Never,
    Transport,
    Status(Status),
    /// Status 200 and bytes that are neither a list nor events.
    Text(&'static str),
    Page(Page),
    Events(Events),
}

/// A list, or one page of it.
#[derive(Clone, Debug)]
pub(in super::super) struct Page {
    pub(in super::super) what: What,
    pub(in super::super) versions: Versions,
    pub(in super::super) tokens: Tokens,
    pub(in super::super) end: ListEnd,
}

/// A watch, or a list that is streamed.
#[derive(Clone, Debug)]
pub(in super::super) struct Events {
    pub(in super::super) what: What,
    pub(in super::super) versions: Versions,
    pub(in super::super) mark: Mark,
    /// Before each event.
    pub(in super::super) pause: Duration,
    pub(in super::super) end: End,
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) enum What {
    /// Everything the honest server has, as it is.
    Everything,
    /// So many that are made up.
    Anything(usize),
    /// So many bookmarks. Nothing, in a list.
    Bookmarks(usize),
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Versions {
    Any,
    Same,
    Newer,
    Older,
    Huge,
    Zero,
    Word,
    Empty,
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Tokens {
    No,
    New,
    Same,
    /// As many in turn.
    Circle(u64),
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) enum ListEnd {
    Whole,
    Cut,
    StallAtStart,
    StallInside,
    Drip(Duration),
}

/// Where the mark of the end of a streamed list comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Mark {
    Never,
    First,
    Last,
    Twice,
    Late(Duration),
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) enum End {
    Clean,
    Reset,
    InsideFrame,
    Silence,
    /// A byte every so often.
    Drip(Duration),
    /// A change of a known object every 100 ms.
    Busy,
}

/// Which answer the requests of one sort get.
#[derive(Clone, Debug)]
pub(in super::super) enum Choice {
    /// In turn: one is always the same.
    Circle(Vec<Recipe>),
    Random,
}

impl Choice {
    pub(in super::super) fn always(recipe: Recipe) -> Self {
        Self::Circle(vec![recipe])
    }
}

/// Which answer a request gets.
#[derive(Clone, Debug)]
pub(in super::super) struct Menu {
    pub(in super::super) lists: Choice,
    pub(in super::super) streams: Choice,
    pub(in super::super) watches: Choice,
    pub(in super::super) probes: Choice,
}

impl Menu {
    pub(in super::super) fn random(random: &mut Rng) -> Self {
        let wild = random.u8(0..3) == 0;
        let mut choice = |make: fn(&mut Rng) -> Recipe| match random.u8(0..6) {
            0 => Choice::Random,
            _ if wild => Choice::Random,
            1..=3 => Choice::always(make(random)),
            4 => Choice::Circle((0..2).map(|_| make(random)).collect()),
            _ => Choice::Circle((0..random.usize(3..6)).map(|_| make(random)).collect()),
        };
        Self { lists: choice(list), streams: choice(stream), watches: choice(watch), probes: choice(probe) }
    }

    pub(super) fn recipe(&mut self, random: &mut Rng, request: &Request) -> Recipe {
        let (choice, make): (_, fn(&mut Rng) -> Recipe) = match &request.verb {
            Verb::List(_) if is_probe(request) => (&mut self.probes, probe),
            Verb::List(_) => (&mut self.lists, list),
            Verb::Watch(params) if params.send_initial_events => (&mut self.streams, stream),
            Verb::Watch(_) => (&mut self.watches, watch),
        };
        match choice {
            Choice::Random => make(random),
            Choice::Circle(recipes) => {
                recipes.rotate_left(1);
                recipes.last().cloned().unwrap_or(Recipe::Honest)
            }
        }
    }
}

fn probe(random: &mut Rng) -> Recipe {
    if random.bool() { Recipe::Honest } else { list(random) }
}

fn list(random: &mut Rng) -> Recipe {
    match random.u8(0..16) {
        0..=3 => Recipe::Honest,
        4..=6 => anything(random),
        _ => Recipe::Page(Page {
            what: what(random),
            versions: versions(random),
            tokens: match random.u8(0..8) {
                0 => Tokens::New,
                1 => Tokens::Same,
                2 => Tokens::Circle(random.u64(2..5)),
                _ => Tokens::No,
            },
            end: match random.u8(0..14) {
                0 => ListEnd::Cut,
                1 => ListEnd::StallAtStart,
                2 => ListEnd::StallInside,
                3 => ListEnd::Drip(seconds(random)),
                _ => ListEnd::Whole,
            },
        }),
    }
}

fn stream(random: &mut Rng) -> Recipe {
    match random.u8(0..16) {
        0..=3 => Recipe::Honest,
        4..=5 => anything(random),
        _ => events(random, 1),
    }
}

fn watch(random: &mut Rng) -> Recipe {
    match random.u8(0..16) {
        0..=2 => Recipe::Honest,
        3..=5 => anything(random),
        6..=7 => Recipe::Status(Status::from_answer(
            410,
            None,
            &error_body("{\"kind\":\"Status\",\"reason\":\"Expired\"}"),
        )),
        _ => events(random, 4),
    }
}

/// The mark comes in one of `unmarked` answers, or not at all.
fn events(random: &mut Rng, unmarked: u8) -> Recipe {
    let mark = match random.u8(0..8) {
        _ if random.u8(0..unmarked) > 0 => Mark::Never,
        0..=1 => Mark::Never,
        2 => Mark::First,
        3 => Mark::Twice,
        4 => Mark::Late(seconds(random)),
        _ => Mark::Last,
    };
    Recipe::Events(Events {
        what: what(random),
        versions: versions(random),
        mark,
        pause: match random.u8(0..4) {
            0 => Duration::from_millis(random.u64(1..2_000)),
            _ => Duration::ZERO,
        },
        end: match random.u8(0..10) {
            0 => End::Reset,
            1 => End::InsideFrame,
            2 => End::Silence,
            3 => End::Drip(seconds(random)),
            4 => End::Busy,
            _ => End::Clean,
        },
    })
}

/// What any request may be answered with.
fn anything(random: &mut Rng) -> Recipe {
    const TEXTS: [&str; 9] = [
        "",
        "\n",
        "this is not JSON\n",
        "[]",
        "7",
        "{}",
        "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}",
        "{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"200\"},\"rows\":[]}",
        "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"1\",\"resourceVersion\":\"200\"}}",
    ];
    match random.u8(0..8) {
        0 => Recipe::Never,
        1 => Recipe::Transport,
        2 => Recipe::Text(random.choice(TEXTS).expect("some")),
        _ => status(random),
    }
}

fn status(random: &mut Rng) -> Recipe {
    const USUAL: [u16; 11] = [400, 401, 403, 404, 408, 410, 422, 429, 500, 503, 504];
    const BODIES: [&str; 7] = [
        "",
        "<html>no</html>",
        "{\"kind\":\"Status\",\"reason\":\"Expired\",\"message\":\"too old\"}",
        "{\"kind\":\"Status\",\"reason\":\"Timeout\",\"message\":\"Too large resource version: 7\"}",
        "{\"kind\":\"Status\",\"reason\":\"Made up\",\"details\":{\"retryAfterSeconds\":1}}",
        "{\"kind\":\"Status\",\"code\":200}",
        "{\"kind\":\"Status\"",
    ];
    let code = if random.bool() { random.choice(USUAL).expect("some") } else { random.u16(400..600) };
    let wait = random.choice([None, None, None, Some(0), Some(1), Some(86_400)]).expect("some");
    let body = random.choice(BODIES).expect("some");
    Recipe::Status(Status::from_answer(code, wait.map(Duration::from_secs), &error_body(body)))
}

fn what(random: &mut Rng) -> What {
    match random.u8(0..8) {
        0..=1 => What::Everything,
        2 => What::Bookmarks(random.usize(0..3)),
        _ => What::Anything(random.usize(0..6)),
    }
}

fn versions(random: &mut Rng) -> Versions {
    use Versions::{Any, Empty, Huge, Newer, Older, Same, Word, Zero};
    random.choice([Any, Any, Any, Newer, Newer, Newer, Older, Same, Huge, Zero, Word, Empty]).expect("some")
}

fn seconds(random: &mut Rng) -> Duration {
    Duration::from_secs(random.u64(1..10))
}

fn error_body(text: &str) -> ErrorBody {
    ErrorBody { bytes: text.as_bytes().to_vec(), ..ErrorBody::default() }
}

//! Whatever the server answers: never too many requests, and once it answers honestly the cache equals it, and per key
//! every handler heard a legal history that ends there.
//!
//! Set `INFORMER_SEED` to repeat one seed, `INFORMER_SEEDS` to run more.

mod anything;

use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::Instant;

use self::anything::{
    Anything, Choice, End, Events, ListEnd, Mark, Menu, Page, Recipe, Tokens, Versions, What,
};
use super::support::seeded::{self, Seeded};
use super::support::{Witnesses, map, served};
use crate::informer::SharedInformer;
use crate::options::Options;
use crate::source::StreamingList;
use crate::source::{ScriptedSource, Status};

const NAMESPACES: [&str; 3] = ["a", "b", "c"];

#[test]
fn d15_any_answer_is_survived_part_1() {
    seeded::part(0, World::play);
}

#[test]
fn d15_any_answer_is_survived_part_2() {
    seeded::part(1, World::play);
}

#[test]
fn d15_any_answer_is_survived_part_3() {
    seeded::part(2, World::play);
}

#[test]
fn d15_any_answer_is_survived_part_4() {
    seeded::part(3, World::play);
}

/// A server that answers anything, an informer, its handlers, and chance.
struct World {
    random: Rng,
    honest: ScriptedSource,
    server: Anything,
    informer: SharedInformer<ConfigMap>,
    namespaces: Option<Vec<&'static str>>,
    witnesses: Witnesses,
    writes: u32,
}

impl World {
    async fn play(seed: u64, seeded: Seeded) {
        let mut world = Self::new(seed);
        let (stop, finished) = seeded.start(&world.informer, seed);
        for _ in 0..world.random.usize(0..3) {
            world.witnesses.join(&mut world.random, &world.informer);
        }
        world.lie().await;
        world.server.hand_over();
        for _ in 0..world.random.usize(0..4) {
            world.write();
            world.pause(2_000).await;
        }
        world.quiet().await;
        stop.send(()).ok();
        finished.await.expect("the informer stops");
        world.witnesses.check();
    }

    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let honest = ScriptedSource::of::<ConfigMap>();
        if random.bool() {
            honest.chunk_bytes(random.usize(20..200));
        }
        let latency = random.choice([0, 1, 50, 3_000]).expect("some");
        let server = Anything::new(honest.clone(), Menu::random(&mut random), seed, latency);
        let mut settings = Options::default();
        settings = match random.u8(0..8) {
            0..=2 => settings.tuning(|tuning| tuning.streaming_list(StreamingList::Never)),
            3 => settings.tuning(|tuning| tuning.streaming_list(StreamingList::Always)),
            _ => settings,
        };
        if random.bool() {
            // A page of one object would look like a probe.
            settings = settings.tuning(|tuning| tuning.page_size(random.u32(2..5)));
        }
        let mut builder = SharedInformer::<ConfigMap>::builder(server.clone()).options(|_| settings);
        let namespaces: Option<Vec<_>> =
            random.bool().then(|| NAMESPACES.into_iter().take(random.usize(1..4)).collect());
        if let Some(namespaces) = &namespaces {
            builder = builder.namespaces(namespaces.iter().copied());
        }
        let informer = builder.build().expect("builds");
        let witnesses = Witnesses::default();
        let mut world = Self { random, honest, server, informer, namespaces, witnesses, writes: 0 };
        for _ in 0..world.random.usize(0..8) {
            world.write();
        }
        world
    }

    /// Lets the server answer anything for a while.
    async fn lie(&mut self) {
        let answers = self.random.usize(5..40);
        let patience = Duration::from_secs(self.random.choice([10, 60, 300, 900]).expect("some"));
        let start = Instant::now();
        while self.server.requests() < answers && start.elapsed() < patience {
            match self.random.u8(0..12) {
                0..=1 if self.writes < 50 => self.write(),
                2 => self.witnesses.join(&mut self.random, &self.informer),
                3 => self.witnesses.leave(&mut self.random),
                4 => self.honest.bookmark(),
                5 => self.honest.compact(),
                6 => self.honest.close_watches(),
                _ => {}
            }
            self.pause(20_000).await;
            self.server.check();
        }
    }

    async fn pause(&mut self, most: u64) {
        let most = if self.random.bool() { most } else { 200 };
        tokio::time::sleep(Duration::from_millis(self.random.u64(0..=most))).await;
    }

    fn write(&mut self) {
        self.writes += 1;
        let namespace = NAMESPACES[self.random.usize(..NAMESPACES.len())];
        let key = format!("{namespace}/{}", self.random.usize(0..4));
        if self.random.u8(0..3) == 0 && self.honest.delete(&key).is_ok() {
            return;
        }
        let object = serde_json::to_value(map(&key, &self.writes.to_string())).expect("JSON");
        self.honest.put_json(object).expect("accepted");
    }

    async fn quiet(&mut self) {
        let expected = served(&self.honest, self.namespaces.as_deref());
        let mut last = String::new();
        for round in 0..400 {
            tokio::time::sleep(Duration::from_secs(10)).await;
            self.server.check();
            if round % 6 == 0 {
                self.honest.bookmark();
            }
            last = self.witnesses.differences(&self.informer, &expected);
            if last.is_empty() {
                break;
            }
        }
        assert_eq!(last, "", "after quiet the cache and the handlers agree with the server");
        assert!(self.informer.has_synced());
        self.witnesses.check();
    }
}

/// Runs an informer for 60 s on a server with three objects that answers in one way only.
async fn one_way(menu: Menu, streaming: StreamingList) {
    let honest = ScriptedSource::of::<ConfigMap>();
    for key in ["a/0", "a/1", "b/0"] {
        honest.create(&map(key, "")).expect("created");
    }
    let server = Anything::new(honest, menu, 0, 1);
    let settings = Options::default().tuning(|tuning| tuning.streaming_list(streaming));
    let informer =
        SharedInformer::<ConfigMap>::builder(server.clone()).options(|_| settings).build().expect("builds");
    let stop = tokio::time::sleep(Duration::from_secs(60));
    informer.run(stop).await.expect("runs");
    server.check();
}

fn events(what: What, versions: Versions, mark: Mark) -> Recipe {
    Recipe::Events(Events { what, versions, mark, pause: Duration::ZERO, end: End::Clean })
}

/// A list of everything, at a version that is newer each time.
fn list() -> Recipe {
    let (what, versions) = (What::Everything, Versions::Newer);
    Recipe::Page(Page { what, versions, tokens: Tokens::No, end: ListEnd::Whole })
}

fn expired() -> Recipe {
    Recipe::Status(Status { code: 410, reason: "Expired".into(), ..Status::default() })
}

#[tokio::test(start_paused = true)]
async fn d15_a_stream_that_ends_at_its_mark_and_410_is_no_hot_loop() {
    let menu = Menu {
        lists: Choice::always(list()),
        streams: Choice::always(events(What::Everything, Versions::Newer, Mark::Last)),
        watches: Choice::always(expired()),
        probes: Choice::always(Recipe::Honest),
    };
    one_way(menu, StreamingList::Auto).await;
}

#[tokio::test(start_paused = true)]
async fn d15_a_watch_that_brings_one_bookmark_and_410_is_no_hot_loop() {
    let bookmark = events(What::Bookmarks(1), Versions::Newer, Mark::Never);
    let menu = Menu {
        lists: Choice::always(list()),
        streams: Choice::always(Recipe::Honest),
        watches: Choice::Circle(vec![bookmark, expired()]),
        probes: Choice::always(Recipe::Honest),
    };
    one_way(menu, StreamingList::Never).await;
}

#[tokio::test(start_paused = true)]
async fn d15_a_server_that_replays_everything_and_hangs_up_is_no_hot_loop() {
    let menu = Menu {
        lists: Choice::always(list()),
        streams: Choice::always(Recipe::Honest),
        watches: Choice::always(events(What::Everything, Versions::Newer, Mark::Never)),
        probes: Choice::always(Recipe::Honest),
    };
    one_way(menu, StreamingList::Never).await;
}

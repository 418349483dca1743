//! Whatever the interleaving and the faults: after quiet the cache equals the server, and per key every handler heard a
//! legal history that ends there.
//!
//! The real driver runs over the scripted source on an executor that polls ready tasks in random order. Set
//! `INFORMER_SEED` to repeat one seed, `INFORMER_SEEDS` to run more.

mod promises;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt;
use k8s_openapi::api::core::v1::ConfigMap;

use self::promises::Promises;
use super::listener::Listener;
use super::seeded::{self, Seeded};
use super::support::{cached, map, served};
use crate::handler::{Handler, Registration, async_handler, handler};
use crate::settings::{Settings, StreamingList};
use crate::shared::{NamespaceError, RemovedNamespace, SharedInformer, run};
use crate::source::{HttpFailure, ScriptedSource, ScriptedState, SourceError, VerbMatch};
use crate::version::ResourceVersion;

const NAMESPACES: [&str; 3] = ["a", "b", "c"];

/// Split over several tests so that they run side by side.
const PARTS: u64 = 4;

fn seeds(part: u64) -> Vec<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    if let Some(seed) = number("INFORMER_SEED") {
        return if part == 0 { vec![seed] } else { Vec::new() };
    }
    (0..number("INFORMER_SEEDS").unwrap_or(10_000)).filter(|seed| seed % PARTS == part).collect()
}

fn run_part(part: u64) {
    for seed in seeds(part) {
        let outcome =
            std::panic::catch_unwind(|| seeded::run(seed, async |seeded| World::play(seed, seeded).await));
        assert!(outcome.is_ok(), "failed with INFORMER_SEED={seed}");
    }
}

#[test]
fn b_264_any_interleaving_converges_part_1() {
    run_part(0);
}

#[test]
fn b_264_any_interleaving_converges_part_2() {
    run_part(1);
}

#[test]
fn b_264_any_interleaving_converges_part_3() {
    run_part(2);
}

#[test]
fn b_264_any_interleaving_converges_part_4() {
    run_part(3);
}

fn number(version: &ResourceVersion) -> u64 {
    version.to_string().parse().expect("a number")
}

/// A server, an informer, its handlers, and chance.
struct World {
    random: Rng,
    server: ScriptedSource,
    informer: SharedInformer<ConfigMap>,
    /// What the informer looks at; `None`: all, for good.
    namespaces: Option<BTreeSet<&'static str>>,
    /// Namespaces that were removed and have not been added since.
    removals: BTreeMap<&'static str, RemovedNamespace>,
    handlers: Vec<(Listener, Registration)>,
    removed: Vec<Listener>,
    backup: Option<(u64, ScriptedState)>,
    rewound: bool,
    writes: u32,
    promises: Promises,
}

impl World {
    async fn play(seed: u64, seeded: Seeded) {
        let mut world = Self::new(seed);
        *world.informer.core().random.lock() = Rng::with_seed(seed);
        let spawn: Arc<dyn crate::shared::tasks::Spawn> = Arc::new(seeded);
        let core = world.informer.core().clone();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let (done, finished) = tokio::sync::oneshot::channel();
        let tasks = spawn.clone();
        spawn.spawn(Box::pin(async move {
            let shutdown = async { stopped.await.unwrap_or_default() };
            run::run(core, tasks, shutdown).await.expect("runs once");
            done.send(()).ok();
        }));
        for _ in 0..world.random.usize(0..3) {
            world.join();
        }
        for _ in 0..world.random.usize(5..60) {
            if world.random.u8(0..4) == 0 {
                let World { random, promises, informer, .. } = &mut world;
                promises.wait(random, &spawn, informer);
            }
            world.step();
            world.check_removed();
            world.promises.check(&world.informer);
            match world.random.u8(0..8) {
                0 => tokio::time::sleep(Duration::from_millis(world.random.u64(0..3_000))).await,
                1 => tokio::time::sleep(Duration::from_secs(world.random.u64(0..400))).await,
                2..=5 => {
                    for _ in 0..world.random.usize(0..6) {
                        crate::store::pace::yield_now().await;
                    }
                }
                _ => {}
            }
            world.promises.check(&world.informer);
        }
        world.quiet().await;
        world.promises.check(&world.informer);
        if world.random.u8(0..4) == 0 {
            world.remove_namespace();
        }
        stop.send(()).ok();
        finished.await.expect("the informer stops");
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(world.promises.waiting(), 0, "a stop ends every wait");
        for removed in world.removals.values() {
            // Done, or the informer has stopped before it was: never a hang.
            removed.done().now_or_never().expect("known once the informer has stopped").ok();
        }
        for (listener, _) in &world.handlers {
            listener.check();
        }
        let calls: Vec<_> = world.handlers.iter().map(|(listener, _)| listener.calls()).collect();
        world.rewound = false;
        world.write();
        tokio::time::sleep(Duration::from_secs(1_000)).await;
        let after: Vec<_> = world.handlers.iter().map(|(listener, _)| listener.calls()).collect();
        assert_eq!(calls, after, "nothing is told after the stop");
    }

    fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let server = ScriptedSource::of::<ConfigMap>();
        if random.bool() {
            server.chunk_bytes(random.usize(1..200));
        }
        let namespaces: Option<BTreeSet<_>> = match random.usize(0..8) {
            0..=2 => None,
            chance => Some(NAMESPACES.into_iter().take([0, 1, 1, 2, 3][chance - 3]).collect()),
        };
        let mut settings = Settings::default();
        if random.bool() {
            settings = settings.streaming_list(StreamingList::Never);
        }
        if random.bool() {
            settings = settings.page_size(random.u32(1..4));
        }
        if random.bool() {
            settings = settings.queue_entries(random.usize(1..4));
        }
        let mut builder = SharedInformer::<ConfigMap>::builder(server.clone()).settings(settings);
        if let Some(namespaces) = &namespaces {
            builder = builder.namespaces(namespaces.iter().copied());
        }
        let informer = builder.build().expect("builds");
        let mut world = Self {
            random,
            server,
            informer,
            namespaces,
            removals: BTreeMap::new(),
            handlers: Vec::new(),
            removed: Vec::new(),
            backup: None,
            rewound: false,
            writes: 0,
            promises: Promises::new(),
        };
        for _ in 0..world.random.usize(0..8) {
            world.write();
        }
        world
    }

    fn step(&mut self) {
        match self.random.u8(0..36) {
            0..=13 => self.write(),
            14 => self.server.compact(),
            15 => self.server.end_watches(),
            16 => self.server.cut_watches(),
            17 => self.server.cut_mid_frame(),
            18 => self.server.bookmark(),
            19 if !self.rewound => self.server.advance(self.random.u64(1..5)),
            20 => self.server.duplicate_next_event(),
            21..=22 => self.fail(),
            23 if self.random.bool() => self.server.stall(),
            23 => self.server.unstall(),
            // Whatever has status 200 answers the question whether the server still knows our version.
            24 if !self.rewound => {
                let verb = self.verb();
                self.server.reply_next(verb, ["{\"kind\":\"ConfigMapList\",\"items\":[{\"metad"]);
            }
            25 => self.server.reply_next(VerbMatch::Watch, ["this is not JSON\n"]),
            26 => self.backup_or_restore(),
            27 => self.informer.refresh(),
            28..=29 => self.join(),
            30 => self.leave(),
            31..=32 => self.add_namespace(),
            33..=34 => self.remove_namespace(),
            _ => self.stuck_replay(),
        }
    }

    fn verb(&mut self) -> VerbMatch {
        self.random.choice([VerbMatch::List, VerbMatch::Watch, VerbMatch::Any]).expect("three")
    }

    fn write(&mut self) {
        if self.rewound && self.server_version() + 1 >= self.seen() {
            return;
        }
        self.writes += 1;
        let namespace = NAMESPACES[self.random.usize(..NAMESPACES.len())];
        let key = format!("{namespace}/{}", self.random.usize(0..4));
        if self.random.u8(0..3) == 0
            && let Ok(version) = self.server.delete(&key)
        {
            return self.promises.happened(&self.server, &key, &version);
        }
        self.put(&key, &self.writes.to_string());
    }

    fn put(&mut self, key: &str, text: &str) {
        let object = serde_json::to_value(map(key, text)).expect("JSON");
        let version = self.server.put_json(object).expect("accepted");
        self.promises.happened(&self.server, key, &version);
    }

    fn fail(&mut self) {
        let http = |code: u16, reason: &str| {
            SourceError::Http(HttpFailure { code, reason: reason.into(), ..HttpFailure::default() })
        };
        let error = match self.random.u8(0..9) {
            0 => http(500, "InternalError"),
            1 => http(429, "TooManyRequests"),
            2 => http(410, "Expired"),
            3 => http(403, "Forbidden"),
            4 => http(401, "Unauthorized"),
            5 => http(404, "NotFound"),
            6 => http(422, "Invalid"),
            7 => http(504, "Timeout"),
            _ => SourceError::Transport("connection refused".into()),
        };
        let verb = self.verb();
        for _ in 0..self.random.usize(1..4) {
            self.server.fail_next(verb, error.clone());
        }
    }

    /// A backup is taken, and some time later restored: state and versions go back, versions are given out again.
    fn backup_or_restore(&mut self) {
        match self.backup.take() {
            None => self.backup = Some((self.server_version(), self.server.snapshot())),
            Some((version, backup)) if version < self.seen() => {
                self.server.forget_commands();
                self.server.restore(&backup);
                self.promises.void();
                self.rewound = true;
            }
            Some(_) => {}
        }
    }

    fn server_version(&self) -> u64 {
        number(&self.server.version())
    }

    /// The oldest of the versions that the scopes have seen. A server that went back is recognised by being behind; one
    /// that has passed it again before anybody looked cannot be told from one that never went back.
    fn seen(&self) -> u64 {
        let scopes = self.informer.status().scopes;
        let versions = scopes.iter().map(|scope| scope.last_version.as_ref().map_or(0, number));
        versions.min().unwrap_or(0)
    }

    fn join(&mut self) {
        let listener = Listener::default();
        let hears = listener.clone();
        let (kind, chance) = (self.random.u8(0..5), self.random.u64(..));
        let mut random = Rng::with_seed(chance);
        let new: Handler<ConfigMap> = match kind {
            0 => handler().on_event(move |event| hears.hear(event)).every_event(random.usize(0..5)),
            1 => async_handler(move |event| {
                hears.hear(&event);
                let pause = Duration::from_millis(random.u64(0..5_000));
                async move { tokio::time::sleep(pause).await }
            }),
            2 => handler().on_event(move |event| {
                hears.hear(event);
                if random.u8(0..3) == 0 {
                    // Unwinds without the hook that prints.
                    std::panic::resume_unwind(Box::new("a handler that panics now and then"));
                }
            }),
            3 => handler().on_event(move |event| hears.hear(event)).resync(Duration::from_secs(1)),
            _ => handler().on_event(move |event| hears.hear(event)),
        };
        let registration = self.informer.add_event_handler(new).expect("the informer runs");
        self.handlers.push((listener, registration));
    }

    fn leave(&mut self) {
        if self.handlers.is_empty() {
            return;
        }
        let (listener, registration) = self.handlers.swap_remove(self.random.usize(..self.handlers.len()));
        registration.remove();
        listener.removed();
        self.removed.push(listener);
    }

    fn add_namespace(&mut self) {
        let namespace = NAMESPACES[self.random.usize(..NAMESPACES.len())];
        match &mut self.namespaces {
            Some(namespaces) => {
                self.informer.add_namespace(namespace).expect("the informer runs");
                namespaces.insert(namespace);
                self.removals.remove(namespace);
            }
            None => self.write(),
        }
    }

    /// Often it is back at once, before anybody has had time to do anything about it.
    fn remove_namespace(&mut self) {
        let Some(namespaces) = &mut self.namespaces else { return self.write() };
        let namespace = NAMESPACES[self.random.usize(..NAMESPACES.len())];
        match self.informer.remove_namespace(namespace) {
            Ok(removed) => {
                assert!(namespaces.remove(namespace));
                self.promises.forget(namespace);
                self.removals.insert(namespace, removed);
            }
            Err(error) => {
                assert!(matches!(error, NamespaceError::Unknown { .. }) && !namespaces.contains(namespace));
            }
        }
        if self.random.u8(0..3) == 0 {
            self.informer.add_namespace(namespace).expect("the informer runs");
            namespaces.insert(namespace);
            self.removals.remove(namespace);
        }
    }

    /// Nothing of a namespace comes back once it is gone.
    fn check_removed(&self) {
        for (namespace, removed) in &self.removals {
            if removed.done().now_or_never().is_some() {
                assert!(
                    self.informer.lister().namespace(*namespace).list().is_empty(),
                    "{namespace} is back"
                );
            }
        }
    }

    /// Deletes, re-creates and deletes one key in a row: the middle is often merged away.
    fn stuck_replay(&mut self) {
        if self.rewound {
            return;
        }
        let key = "a/0";
        if let Ok(version) = self.server.delete(key) {
            self.promises.happened(&self.server, key, &version);
        }
        for text in ["first", "second"] {
            self.put(key, text);
            let version = self.server.delete(key).expect("there");
            self.promises.happened(&self.server, key, &version);
        }
    }

    async fn quiet(&mut self) {
        self.server.unstall();
        self.server.forget_commands();
        let namespaces: Option<Vec<_>> =
            self.namespaces.as_ref().map(|names| names.iter().copied().collect());
        let expected = served(&self.server, namespaces.as_deref());
        let mut last = String::new();
        for _ in 0..400 {
            tokio::time::sleep(Duration::from_secs(10)).await;
            self.server.bookmark();
            last = self.differences(&expected);
            if last.is_empty() {
                break;
            }
        }
        assert_eq!(last, "", "after quiet the cache and the handlers agree with the server");
        assert!(self.informer.has_synced());
        self.check_removed();
        for listener in self.handlers.iter().map(|(listener, _)| listener).chain(&self.removed) {
            listener.check();
        }
    }

    fn differences(&self, expected: &[(String, String, String)]) -> String {
        let cached = cached(&self.informer);
        if cached != expected {
            return format!("cache {cached:?}, server {expected:?}, status {:?}", self.informer.status());
        }
        let versions: Vec<_> =
            expected.iter().map(|(key, version, _)| (key.clone(), version.clone())).collect();
        for (listener, registration) in &self.handlers {
            if listener.believes() != versions {
                let (believes, log) = (listener.believes(), listener.log());
                return format!("{} believes {believes:?}, not {versions:?}: {log:?}", registration.name());
            }
            if !registration.has_synced() {
                return format!("{} is not synced", registration.name());
            }
        }
        String::new()
    }
}

//! Whatever the interleaving and the faults: after quiet the cache equals the server, and per key every handler heard a
//! legal history that ends there.
//!
//! The real driver runs over the scripted source on an executor that polls ready tasks in random order. Set
//! `INFORMER_SEED` to repeat one seed, `INFORMER_SEEDS` to run more.

mod promises;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use futures::FutureExt;
use informer_wire::ResourceVersion;
use k8s_openapi::api::core::v1::ConfigMap;

use self::promises::Promises;
use super::support::seeded::{self, Seeded};
use super::support::{Witnesses, map, served};
use crate::error::WaitError;
use crate::informer::SharedInformer;
use crate::informer::tasks::Spawn;
use crate::options::Options;
use crate::source::StreamingList;
use crate::source::{Fault, ScriptedSource, SourceError, Status};

const NAMESPACES: [&str; 3] = ["a", "b", "c"];

#[test]
fn b_264_any_interleaving_converges_part_1() {
    seeded::part(0, World::play);
}

#[test]
fn b_264_any_interleaving_converges_part_2() {
    seeded::part(1, World::play);
}

#[test]
fn b_264_any_interleaving_converges_part_3() {
    seeded::part(2, World::play);
}

#[test]
fn b_264_any_interleaving_converges_part_4() {
    seeded::part(3, World::play);
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
    removals: BTreeSet<&'static str>,
    witnesses: Witnesses,
    backup: Option<ResourceVersion>,
    rewound: bool,
    writes: u32,
    promises: Promises,
}

impl World {
    async fn play(seed: u64, seeded: Seeded) {
        let mut world = Self::new(seed);
        let spawn: Arc<dyn Spawn> = Arc::new(seeded.clone());
        let (stop, finished) = seeded.start(&world.informer, seed);
        for _ in 0..world.random.usize(0..3) {
            world.witnesses.join(&mut world.random, &world.informer);
        }
        for _ in 0..world.random.usize(5..60) {
            if world.random.u8(0..4) == 0 {
                let Self { random, promises, informer, .. } = &mut world;
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
                        informer_core::store::pace::yield_now().await;
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
        for namespace in &world.removals {
            // Done, or the informer has stopped before it was: never a hang.
            world.removal(namespace).expect("known once the informer has stopped").ok();
        }
        world.witnesses.check();
        let calls = world.witnesses.calls();
        world.rewound = false;
        world.write();
        tokio::time::sleep(Duration::from_secs(1_000)).await;
        assert_eq!(calls, world.witnesses.calls(), "nothing is told after the stop");
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
        let mut settings = Options::default();
        if random.bool() {
            settings = settings.tuning(|tuning| tuning.streaming_list(StreamingList::Never));
        }
        if random.bool() {
            settings = settings.tuning(|tuning| tuning.page_size(random.u32(1..4)));
        }
        if random.bool() {
            settings = settings.tuning(|tuning| tuning.queue_entries(random.usize(1..4)));
        }
        let mut builder = SharedInformer::<ConfigMap>::builder(server.clone()).options(|_| settings);
        if let Some(namespaces) = &namespaces {
            builder = builder.namespaces(namespaces.iter().copied());
        }
        let informer = builder.build().expect("builds");
        let mut world = Self {
            random,
            server,
            informer,
            namespaces,
            removals: BTreeSet::new(),
            witnesses: Witnesses::default(),
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
            14 => {
                self.server.compact();
                // It cannot be restored any more.
                self.backup = None;
            }
            15 => self.server.close_watches(),
            16 => self.server.cut_watches(),
            17 => self.server.close_watches_mid_event(),
            18 => self.server.bookmark(),
            19 if !self.rewound => self.server.advance(self.random.u64(1..5)),
            20 => self.server.duplicate_next_event(),
            21..=22 => self.fail(),
            23 if self.random.bool() => self.server.stall_watches(),
            23 => self.server.unstall_watches(),
            // Whatever has status 200 answers the question whether the server still knows our version.
            24 if !self.rewound => {
                let fault = Fault::reply(["{\"kind\":\"ConfigMapList\",\"items\":[{\"metad"]);
                let fault = self.on_some_verb(fault);
                self.server.inject(fault.once());
            }
            25 => {
                self.server.inject(Fault::reply(["this is not JSON\n"]).on_watch().once());
            }
            26 => self.backup_or_restore(),
            27 => self.informer.refresh(),
            28..=29 => self.witnesses.join(&mut self.random, &self.informer),
            30 => self.witnesses.leave(&mut self.random),
            31..=32 => self.add_namespace(),
            33..=34 => self.remove_namespace(),
            _ => self.stuck_replay(),
        }
    }

    fn on_some_verb(&mut self, fault: Fault) -> Fault {
        match self.random.u8(0..3) {
            0 => fault.on_list(),
            1 => fault.on_watch(),
            _ => fault,
        }
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
            SourceError::answered(Status { code, reason: reason.into(), ..Status::default() })
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
            _ => SourceError::transport("connection refused"),
        };
        let fault = self.on_some_verb(Fault::error(error));
        self.server.inject(fault.first(self.random.u64(1..4)));
    }

    /// A backup is taken, and some time later restored: state and versions go back, versions are given out again.
    fn backup_or_restore(&mut self) {
        match self.backup.take() {
            None => self.backup = Some(self.server.version()),
            Some(backup) if number(&backup) < self.seen() => {
                self.server.clear_faults();
                self.server.rewind(&backup);
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
            Ok(()) => {
                assert!(namespaces.remove(namespace));
                self.promises.forget(namespace);
                self.removals.insert(namespace);
            }
            Err(error) => {
                assert!(error.is_unknown_namespace() && !namespaces.contains(namespace));
            }
        }
        if self.random.u8(0..3) == 0 {
            self.informer.add_namespace(namespace).expect("the informer runs");
            namespaces.insert(namespace);
            self.removals.remove(namespace);
        }
    }

    /// How the removal of a namespace ended, if it has.
    fn removal(&self, namespace: &str) -> Option<Result<(), WaitError>> {
        self.informer.wait_namespace_removed(namespace, Duration::MAX).now_or_never()
    }

    /// Nothing of a namespace comes back once it is gone.
    fn check_removed(&self) {
        for namespace in &self.removals {
            if self.removal(namespace).is_some() {
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
        self.server.unstall_watches();
        self.server.clear_faults();
        let namespaces: Option<Vec<_>> =
            self.namespaces.as_ref().map(|names| names.iter().copied().collect());
        let expected = served(&self.server, namespaces.as_deref());
        let mut last = String::new();
        for _ in 0..400 {
            tokio::time::sleep(Duration::from_secs(10)).await;
            self.server.bookmark();
            last = self.witnesses.differences(&self.informer, &expected);
            if last.is_empty() {
                break;
            }
        }
        assert_eq!(last, "", "after quiet the cache and the handlers agree with the server");
        assert!(self.informer.has_synced());
        self.check_removed();
        self.witnesses.check();
    }
}

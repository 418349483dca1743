//! Everything goes wrong, at random.

use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use kube_client::Client;

use crate::support::{MOMENT, Program, SECOND, World, number, on_paused_time, pass};

const SETS: [&str; 2] = ["red", "blue"];
/// Longer than any of these worlds lasts.
const ANY_TIME: Duration = Duration::from_secs(3600);

struct Random {
    world: World,
    random: fastrand::Rng,
    /// The program knows at once how many pods there are to be: only what it knows of pods is late, and nothing that it writes is
    /// held up. Then nothing excuses a pod that is not wanted at the very moment.
    is_strict: bool,
}

impl Random {
    async fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let server = EmbeddedApiserver::builder().streaming_lists(random.u8(..3) == 0).seed(seed).build();
        let mut world = World::new(server);
        for name in SETS {
            world.create_set(name, random.usize(..5)).await;
        }
        Self { world, random, is_strict: seed.is_multiple_of(2) }
    }

    /// How late the program may know what is wanted.
    fn late(&self) -> Duration {
        if self.is_strict { MOMENT } else { ANY_TIME }
    }

    /// Its first watch of pods, of any of its informers, may fall silent at any time.
    fn start(&mut self, start: fn(Client) -> Program) -> Program {
        if self.random.u8(..4) > 0 {
            let fault = ServerFault::stall_after(self.random.u64(..10)).on(Verb::Watch).resource("pods");
            let fault = fault.when(|request| request.parameter("sendInitialEvents").is_none());
            self.world.server.inject(fault.once());
        }
        start(self.world.server.client())
    }

    /// Something happens. True if it is that the program is killed.
    async fn step(&mut self) -> bool {
        let name = SETS[self.random.usize(..SETS.len())];
        match self.random.u8(..16) {
            0 | 1 => self.world.scale(name, self.random.usize(..6)).await,
            2 | 3 => self.world.delete_pod(self.random.usize(..100)).await,
            4 => {
                self.world.tell("the program is killed");
                return true;
            }
            5 | 6 => self.requests_fail(),
            7 | 8 => self.watches_fail(),
            9 => {
                self.world.tell("faults end");
                self.world.server.clear_faults();
            }
            10 => self.world.replace_set(name, self.random.usize(..4)).await,
            11 => self.world.create_orphan(name).await,
            _ => pass(Duration::from_millis(self.random.u64(..5_000))).await,
        }
        false
    }

    fn requests_fail(&mut self) {
        let verb = [Verb::Create, Verb::Delete, Verb::Patch][self.random.usize(..3)];
        let resource = if self.random.bool() { "pods" } else { "replicasets.apps" };
        let (what, fault) = match self.random.u8(..if self.is_strict { 3 } else { 4 }) {
            0 => ("answers are lost", ServerFault::cut_after_bytes(1)),
            1 => ("requests fail", ServerFault::status(500)),
            2 => ("requests are refused", ServerFault::refuse()),
            _ => ("requests are late", ServerFault::delay(self.random.u32(1..10) * SECOND)),
        };
        self.world.tell(format!("{what}: {verb:?} {resource}"));
        self.world.server.inject(fault.on(verb).resource(resource).first(self.random.u64(1..4)));
    }

    fn watches_fail(&mut self) {
        let (what, fault) = match self.random.u8(..4) {
            0 => ("are silent", ServerFault::stall_after(self.random.u64(..5))),
            1 => ("break", ServerFault::cut_after(self.random.u64(..5))),
            2 => ("are late", ServerFault::delay(self.random.u32(1..10) * SECOND)),
            _ => ("end", ServerFault::expired_event_after(self.random.u64(..5))),
        };
        self.world.tell(format!("watches {what}"));
        let fault = fault.on(Verb::Watch).first(self.random.u64(1..4));
        self.world.server.inject(if self.is_strict { fault.resource("pods") } else { fault });
    }
}

/// One world, and the program that runs in it in the end.
async fn live(seed: u64, start: fn(Client) -> Program) -> (Random, Program) {
    let mut random = Random::new(seed).await;
    let mut program = random.start(start);
    for _ in 0..25 {
        if random.step().await {
            program.kill().await;
            program = random.start(start);
        }
    }
    (random, program)
}

/// In half of the worlds the program has two informers of pods.
fn program(seed: u64) -> fn(Client) -> Program {
    match seed / 2 % 4 {
        0 => Program::start_with_a_selection,
        1 => Program::start_with_metadata,
        _ => Program::start,
    }
}

#[test]
fn never_one_pod_too_many() {
    let seeds = match number("INFORMER_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("INFORMER_SEEDS").unwrap_or(100),
    };
    for seed in seeds {
        on_paused_time(async {
            let (random, program) = live(seed, program(seed)).await;
            random.world.ends_well(&format!("seed {seed}"), random.late()).await;
            program.kill().await;
        });
    }
}

/// What looks for pods too many finds them where there are some.
#[test]
fn without_own_writes_there_are_pods_too_many() {
    let has_too_many = |seed| {
        on_paused_time(async {
            let (random, program) = live(seed, Program::start_without_own_writes).await;
            program.kill().await;
            !random.world.oracle.excesses(random.late()).is_empty()
        })
    };
    let found = (0..20).filter(|seed| has_too_many(2 * seed)).count();
    assert!(found > 10, "in {found} of 20 worlds");
}

//! Several candidates, each with a clock of its own, on a server that delays and loses requests, answers and events.

use std::collections::{BTreeMap, VecDeque};

use super::*;

/// True time in milliseconds.
type Millis = u64;

/// Clocks that differ in more than the deadlines allow for would be wrong: 1.2 against 0.9 is less than 15 against 10.
const RATES: [f64; 4] = [0.9, 1.0, 1.1, 1.2];
const CANDIDATES: usize = 3;

enum Message {
    Read,
    Write { over: Option<ResourceVersion>, record: Record },
}

struct Candidate {
    core: Core,
    rate: f64,
    offset: f64,
    stopped_until: Millis,
    /// The number of the request whose answer counts.
    waits_for: u64,
    /// How far its watch has come, and whether it works.
    watched: usize,
    watch_broken_until: Millis,
    is_over: bool,
}

impl Candidate {
    fn now(&self, millis: Millis) -> Time {
        #[allow(clippy::cast_precision_loss)]
        Duration::from_secs_f64(self.offset + self.rate * millis as f64 / 1000.0)
    }
}

struct World {
    chance: fastrand::Rng,
    now: Millis,
    version: u64,
    /// All that the Lease has ever been.
    history: Vec<Record>,
    candidates: Vec<Candidate>,
    names: u64,
    requests: u64,
    /// What is under way to the server, by when it arrives.
    sent: BTreeMap<(Millis, u64), (usize, Message)>,
    /// What is under way from it.
    answers: BTreeMap<(Millis, u64), (usize, Event)>,
    /// The terms, in the order in which they began.
    terms: Vec<u64>,
    is_calm: bool,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            chance: fastrand::Rng::with_seed(seed),
            now: 0,
            version: 1,
            history: Vec::new(),
            candidates: Vec::new(),
            names: 0,
            requests: 0,
            sent: BTreeMap::new(),
            answers: BTreeMap::new(),
            terms: Vec::new(),
            is_calm: false,
        };
        for _ in 0..CANDIDATES {
            let candidate = world.candidate();
            world.candidates.push(candidate);
        }
        world
    }

    fn candidate(&mut self) -> Candidate {
        self.names += 1;
        let mut candidate = Candidate {
            core: core(),
            rate: *self.chance.choice(&RATES).unwrap(),
            offset: self.chance.f64() * 1e6,
            stopped_until: 0,
            waits_for: 0,
            watched: self.history.len(),
            watch_broken_until: 0,
            is_over: false,
        };
        let (name, seed) = (format!("candidate-{}", self.names), self.chance.u64(..));
        candidate.core = Core::new(name, Timing::default(), seed, candidate.now(self.now));
        candidate
    }

    /// Mostly quick, sometimes minutes.
    fn delay(&mut self) -> Millis {
        match self.chance.u32(..100) {
            _ if self.is_calm => self.chance.u64(1..50),
            0..70 => self.chance.u64(1..100),
            70..95 => self.chance.u64(100..8_000),
            _ => self.chance.u64(8_000..60_000),
        }
    }

    fn step(&mut self, index: usize, event: Event) {
        let candidate = &mut self.candidates[index];
        let now = candidate.now(self.now);
        let name = candidate.core.identity.clone();
        for action in candidate.core.step(event, now) {
            match action {
                Action::Read => self.send(index, Message::Read),
                Action::Write { over, what, transitions } => {
                    let released = what == What::Release;
                    let holder = if released { String::new() } else { name.clone() };
                    let duration = if released { SECOND } else { 15 * SECOND };
                    let record = Record { holder, duration, transitions, ..record(0, "", 0) };
                    self.send(index, Message::Write { over: over.map(|record| record.version), record });
                }
                Action::Abandon => self.candidates[index].waits_for = 0,
                Action::Lead { term, .. } => {
                    assert!(
                        self.terms.iter().all(|earlier| *earlier < term),
                        "{term} comes after {:?}",
                        self.terms
                    );
                    self.terms.push(term);
                }
                Action::Renewed { .. } | Action::Lost => {}
                Action::Done { .. } => self.candidates[index].is_over = true,
            }
        }
    }

    fn send(&mut self, index: usize, message: Message) {
        self.requests += 1;
        self.candidates[index].waits_for = self.requests;
        let at = self.now + self.delay();
        self.sent.insert((at, self.requests), (index, message));
    }

    /// The server takes a request, and answers unless the answer is lost.
    fn serve(&mut self, number: u64, index: usize, message: Message) {
        let last = self.history.last().cloned();
        let is_lost = !self.is_calm && self.chance.u32(..10) == 0;
        let event = match message {
            _ if !self.is_calm && self.chance.u32(..20) == 0 => Event::Failed,
            Message::Read => Event::Read(last),
            // The namespace of the Lease is not there yet.
            Message::Write { over: None, .. } if last.is_none() && !self.is_calm && self.chance.bool() => {
                Event::NoNamespace
            }
            Message::Write { over, .. } if over != last.map(|record| record.version) => Event::Conflict,
            Message::Write { record, .. } => {
                self.version += 1;
                let version = ResourceVersion::new(&self.version.to_string());
                let record = Record { version, mark: self.version.to_string(), ..record };
                self.history.push(record.clone());
                Event::Wrote(record)
            }
        };
        if !is_lost {
            let at = self.now + self.delay();
            self.answers.insert((at, number), (index, event));
        }
    }

    fn trouble(&mut self) {
        let index = self.chance.usize(..CANDIDATES);
        match self.chance.u32(..3000) {
            // Stopped, as by SIGSTOP, or asleep.
            0 => self.candidates[index].stopped_until = self.now + self.chance.u64(1..40_000),
            1 => self.candidates[index].watch_broken_until = self.now + self.chance.u64(1..40_000),
            2 => self.candidates[index].is_over = true,
            3 => self.step(index, Event::Release),
            4 => self.step(index, Event::Stop),
            5 => self.step(index, Event::Confirm),
            _ => {}
        }
    }

    fn pass(&mut self) {
        self.now += 10;
        if !self.is_calm {
            self.trouble();
        }
        for index in 0..CANDIDATES {
            if self.candidates[index].is_over {
                // Another process takes its place; what the old one sent is still under way.
                self.candidates[index] = self.candidate();
            }
        }
        while let Some(entry) = self.sent.first_entry().filter(|entry| entry.key().0 <= self.now) {
            let (_, number) = *entry.key();
            let (index, message) = entry.remove();
            self.serve(number, index, message);
        }
        for index in 0..CANDIDATES {
            if self.candidates[index].stopped_until > self.now {
                continue;
            }
            let mut events = VecDeque::new();
            let due = self.answers.iter().filter(|(key, (to, _))| key.0 <= self.now && *to == index);
            let due: Vec<_> = due.map(|(key, _)| *key).collect();
            for key in due {
                let Some((_, event)) = self.answers.remove(&key) else { continue };
                if key.1 == self.candidates[index].waits_for {
                    events.push_back(event);
                }
            }
            let candidate = &mut self.candidates[index];
            if candidate.watch_broken_until <= self.now
                && self.chance.u32(..4) == 0
                && let Some(record) = self.history.get(candidate.watched)
            {
                candidate.watched += 1;
                events.push_back(Event::Watched(Some(record.clone())));
            }
            let now = candidate.now(self.now);
            if events.is_empty() && candidate.core.wake_at().is_some_and(|at| at <= now) {
                events.push_back(Event::Tick);
            }
            for event in events {
                self.step(index, event);
            }
        }
        self.check();
    }

    fn leaders(&self) -> Vec<usize> {
        let leads = |index: &usize| {
            let candidate = &self.candidates[*index];
            candidate.core.holds_until().is_some_and(|until| candidate.now(self.now) < until)
        };
        (0..CANDIDATES).filter(leads).collect()
    }

    fn check(&self) {
        let leaders = self.leaders();
        assert!(leaders.len() <= 1, "at {} ms {leaders:?} lead", self.now);
    }
}

#[test]
fn there_is_one_leader_at_a_time_and_terms_grow_whatever_is_lost_and_late() {
    let seeds = std::env::var("INFORMER_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    let first = std::env::var("INFORMER_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut terms = 0;
    for seed in first.map_or(0..seeds, |seed| seed..seed + 1) {
        eprintln!("INFORMER_SEED={seed}");
        let mut world = World::new(seed);
        for _ in 0..30_000 {
            world.pass();
        }
        // Once all is well there is a leader as soon as an old Lease has expired, and it stays.
        world.is_calm = true;
        world.candidates.iter_mut().for_each(|candidate| candidate.stopped_until = 0);
        for _ in 0..9_000 {
            world.pass();
        }
        let (leaders, begun) = (world.leaders(), world.terms.len());
        assert_eq!(leaders.len(), 1, "there is a leader");
        for _ in 0..6_000 {
            world.pass();
        }
        assert_eq!((world.leaders(), world.terms.len()), (leaders, begun), "it stays");
        terms += begun;
    }
    assert!(first.is_some() || terms > 100, "only {terms} terms");
}

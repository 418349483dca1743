//! Which fault comes when: a function of the seed and the length of the run alone.

use std::time::Duration;

use fastrand::Rng;

use crate::faults::{Fault, TABLE};
use crate::walk::settings::Settings;

/// The steps of a run, one after the other.
pub(crate) struct Plan {
    rng: Rng,
    longest_partition: Duration,
    taking_part: Vec<Fault>,
    /// Those that are still to come before any comes again. The next is the last.
    deck: Vec<Fault>,
    number: usize,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) number: usize,
    /// One or two, in the order in which they begin. They end in the opposite order.
    pub(crate) draws: Vec<Draw>,
    /// For what is written.
    pub(crate) seed: u64,
}

/// A fault, and what chance has to say about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(crate) fault: Fault,
    /// How long it lasts.
    pub(crate) length: Duration,
    /// How often, where it is something that happens several times.
    pub(crate) times: u32,
    /// Which of two forms.
    pub(crate) coin: bool,
    /// For what is written because of it.
    pub(crate) seed: u64,
}

impl Plan {
    pub(crate) fn new(settings: &Settings) -> Self {
        let taking_part = TABLE.iter().map(|row| row.fault);
        Self {
            rng: Rng::with_seed(settings.seed),
            longest_partition: settings.longest_partition(),
            taking_part: taking_part.filter(|fault| settings.has_time_for(fault.bound())).collect(),
            deck: Vec::new(),
            number: 0,
        }
    }

    /// The faults that the run is too short for.
    pub(crate) fn left_out(&self) -> Vec<Fault> {
        TABLE.iter().map(|row| row.fault).filter(|fault| !self.taking_part.contains(fault)).collect()
    }

    pub(crate) fn step(&mut self) -> Step {
        self.number += 1;
        let mut faults = vec![self.next(|_| true)];
        if self.rng.u8(..3) == 0 {
            let first = faults[0];
            faults.push(self.next(|fault| fault.goes_with(first)));
        }
        faults.sort_by_key(|fault| fault.row().touches.last());
        let draws = faults.into_iter().map(|fault| self.draw(fault)).collect();
        Step { number: self.number, draws, seed: self.rng.u64(..) }
    }

    fn next(&mut self, wanted: impl Fn(Fault) -> bool) -> Fault {
        loop {
            if let Some(place) = self.deck.iter().rposition(|fault| wanted(*fault)) {
                return self.deck.remove(place);
            }
            let mut fresh = self.taking_part.clone();
            self.rng.shuffle(&mut fresh);
            fresh.append(&mut self.deck);
            self.deck = fresh;
        }
    }

    fn draw(&mut self, fault: Fault) -> Draw {
        let seconds = Duration::from_secs;
        let longest = match fault {
            Fault::Refused | Fault::Stalled => self.longest_partition,
            Fault::Slow => self.longest_partition.min(seconds(30)),
            Fault::Cuts => seconds(3),
            _ => (self.longest_partition / 6).min(seconds(10)),
        };
        // Short ones are as likely as long ones, whatever the scale.
        let (shortest, longest) = (0.2_f64, longest.as_secs_f64());
        let length = Duration::from_secs_f64(shortest * (longest / shortest).powf(self.rng.f64()));
        Draw { fault, length, times: self.rng.u32(2..=6), coin: self.rng.bool(), seed: self.rng.u64(..) }
    }
}

#[test]
fn a_seed_decides_everything_each_fault_comes_soon_and_a_third_of_the_steps_has_two() {
    let settings = |seed| Settings { minutes: 60, seed, first_step: 1, report: None };
    let steps = |seed| -> Vec<Step> {
        let mut plan = Plan::new(&settings(seed));
        assert_eq!(plan.left_out(), [], "an hour is enough for all");
        (0..300).map(|_| plan.step()).collect()
    };
    let of_one = steps(1);
    assert_eq!(format!("{of_one:?}"), format!("{:?}", steps(1)));
    assert_ne!(format!("{of_one:?}"), format!("{:?}", steps(2)));
    for row in TABLE {
        let is_among =
            of_one[..TABLE.len()].iter().any(|step| step.draws.iter().any(|draw| draw.fault == row.fault));
        assert!(is_among, "{} comes before any other comes twice", row.name);
    }
    let pairs: Vec<_> = of_one.iter().filter(|step| step.draws.len() == 2).collect();
    assert!((70..130).contains(&pairs.len()), "{} of 300", pairs.len());
    for step in pairs {
        assert!(step.draws[0].fault.goes_with(step.draws[1].fault), "{step}");
    }
    let longest = of_one.iter().flat_map(|step| &step.draws).map(|draw| draw.length).max();
    assert!(
        longest
            .is_some_and(|longest| longest > Duration::from_secs(300) && longest <= Duration::from_secs(600))
    );
}

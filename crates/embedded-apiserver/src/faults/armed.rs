//! The faults that are in force.

use std::sync::Arc;

use fastrand::Rng;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::effect::Effect;
use super::fault::{Fault, Times};
use super::plan::Plan;
use crate::journal::RecordedRequest;

/// All faults of a server, in the order in which they were injected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    armed: Arc<Mutex<Vec<Arc<Armed>>>>,
}

#[derive(Debug)]
struct Armed {
    fault: Fault,
    aim: Mutex<Aim>,
    strikes: Strikes,
}

/// Which of the matching requests is next.
#[derive(Debug)]
struct Aim {
    matched: u64,
    luck: Rng,
}

impl Faults {
    pub(crate) fn inject(&self, fault: Fault) -> InjectedFault {
        let seed = match fault.times {
            Times::Chance { seed, .. } => seed,
            _ => 0,
        };
        let armed = Arc::new(Armed {
            fault,
            aim: Mutex::new(Aim { matched: 0, luck: Rng::with_seed(seed) }),
            strikes: Strikes::default(),
        });
        self.armed.lock().push(armed.clone());
        InjectedFault { armed, faults: self.clone() }
    }

    pub(crate) fn clear(&self) {
        for armed in std::mem::take(&mut *self.armed.lock()) {
            armed.strikes.0.removed.send_replace(true);
        }
    }

    /// What is to go wrong with this request.
    pub(crate) fn plan(&self, request: &RecordedRequest) -> Plan {
        // The lock is not held while conditions are asked, which are code of the test and may inject faults.
        let armed = self.armed.lock().clone();
        let mut planned = Vec::new();
        for armed in armed.iter().filter(|armed| armed.strikes_at(request)) {
            planned.push((armed.fault.effect.clone(), armed.strikes.clone()));
            if armed.fault.effect.has_the_last_word() {
                break;
            }
        }
        Plan::new(planned)
    }
}

impl Armed {
    fn strikes_at(&self, request: &RecordedRequest) -> bool {
        if !self.fault.matches(request) {
            return false;
        }
        let mut aim = self.aim.lock();
        aim.matched += 1;
        match self.fault.times {
            Times::Always => true,
            Times::First(n) => aim.matched <= n,
            Times::Nth(n) => aim.matched == n,
            Times::Chance { probability, .. } => aim.luck.f64() < probability,
        }
    }
}

/// What a planned effect is counted with when it is done, and what ends a stall.
#[derive(Clone, Debug, Default)]
pub(super) struct Strikes(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    struck: watch::Sender<u64>,
    removed: watch::Sender<bool>,
}

impl Strikes {
    /// For a part of an effect that has been counted already.
    pub(super) fn uncounted() -> Self {
        Self::default()
    }

    pub(super) fn count(&self) {
        self.0.struck.send_modify(|struck| *struck += 1);
    }

    /// Waits until the fault is taken out of force.
    pub(super) async fn until_removed(&self) {
        // Fails only without a sender, and that is here.
        let _ = self.0.removed.subscribe().wait_for(|removed| *removed).await;
    }
}

/// A pair of what to do and how to count it.
pub(super) type Planned = (Effect, Strikes);

/// A fault that is in force. Dropping this changes nothing.
#[derive(Clone, Debug)]
pub struct InjectedFault {
    armed: Arc<Armed>,
    faults: Faults,
}

impl InjectedFault {
    /// How often it has struck: counted when it happens, so that an event that is lost is counted when it would have
    /// been sent.
    pub fn struck(&self) -> u64 {
        *self.armed.strikes.0.struck.borrow()
    }

    /// Waits until it has struck at least this often.
    ///
    /// It may wait forever; limit it with `tokio::time::timeout`.
    pub async fn until_struck(&self, times: u64) {
        let mut strikes = self.armed.strikes.0.struck.subscribe();
        // Fails only without a sender, and that is in the fault that this holds.
        let _ = strikes.wait_for(|struck| *struck >= times).await;
    }

    /// Takes it out of force. Requests that it stalls are answered now; what else it has done to answers that are under
    /// way remains.
    pub fn remove(&self) {
        self.faults.armed.lock().retain(|armed| !Arc::ptr_eq(armed, &self.armed));
        self.armed.strikes.0.removed.send_replace(true);
    }
}

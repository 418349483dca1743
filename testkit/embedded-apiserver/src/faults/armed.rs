//! The faults that are active.

use std::sync::Arc;

use fastrand::Rng;
use parking_lot::Mutex;
use tokio::sync::watch;

use super::effect::Effect;
use super::fault::{ServerFault, Times};
use super::plan::Plan;
use crate::journal::RecordedRequest;
use crate::request::Request;

/// All faults of a server, in the order in which they were injected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    armed: Arc<Mutex<Vec<Arc<Armed>>>>,
}

#[derive(Debug)]
struct Armed {
    fault: ServerFault,
    aim: Mutex<Aim>,
    strikes: Strikes,
}

/// How many requests have matched, and the random numbers for [`Times::Chance`].
#[derive(Debug)]
struct Aim {
    matched: u64,
    luck: Rng,
}

impl Faults {
    pub(crate) fn inject(&self, fault: ServerFault) -> InjectedServerFault {
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
        InjectedServerFault { armed, faults: self.clone() }
    }

    pub(crate) fn clear(&self) {
        for armed in std::mem::take(&mut *self.armed.lock()) {
            armed.strikes.0.removed.send_replace(true);
        }
    }

    /// The effects of all faults that apply to this request.
    pub(crate) fn plan(&self, request: &Request, recorded: &RecordedRequest) -> Plan {
        // The lock is not held while conditions run: they are code of the test and may inject faults.
        let armed = self.armed.lock().clone();
        let mut planned = Vec::new();
        for armed in armed.iter().filter(|armed| armed.strikes_at(request, recorded)) {
            planned.push((armed.fault.effect.clone(), armed.strikes.clone()));
            if armed.fault.effect.has_the_last_word() {
                break;
            }
        }
        Plan::new(planned)
    }
}

impl Armed {
    fn strikes_at(&self, request: &Request, recorded: &RecordedRequest) -> bool {
        if !self.fault.matches(request, recorded) {
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

/// Counts how often a fault has had its effect, and ends a stall.
#[derive(Clone, Debug, Default)]
pub(super) struct Strikes(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    struck: watch::Sender<u64>,
    removed: watch::Sender<bool>,
}

impl Strikes {
    /// For a second effect of a fault that is counted already.
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

/// An effect and its counter.
pub(super) type Planned = (Effect, Strikes);

/// A fault that is active. Dropping this value does not remove it.
#[derive(Clone, Debug)]
pub struct InjectedServerFault {
    armed: Arc<Armed>,
    faults: Faults,
}

impl InjectedServerFault {
    /// How often it has struck. It is counted at the moment of the effect: a lost event counts when it would have been
    /// sent.
    pub fn struck(&self) -> u64 {
        *self.armed.strikes.0.struck.borrow()
    }

    /// Waits until it has struck at least this often.
    ///
    /// It may wait forever; limit the wait with `tokio::time::timeout`.
    pub async fn until_struck(&self, times: u64) {
        let mut strikes = self.armed.strikes.0.struck.subscribe();
        // Never an error: `self` holds the sender.
        let _ = strikes.wait_for(|struck| *struck >= times).await;
    }

    /// Removes it. Requests that it stalls are answered now; other answers that it already affects stay affected.
    pub fn remove(&self) {
        self.faults.armed.lock().retain(|armed| !Arc::ptr_eq(armed, &self.armed));
        self.armed.strikes.0.removed.send_replace(true);
    }
}

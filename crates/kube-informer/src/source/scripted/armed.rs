//! The active faults of a scripted server.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::fault::{Effect, Fault, Times};
use crate::source::request::Request;

/// All faults of a server, in the order in which they were injected.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults(Arc<Mutex<InForce>>);

#[derive(Debug, Default)]
struct InForce {
    injected: u64,
    armed: Vec<Arc<Armed>>,
}

#[derive(Debug)]
pub(super) struct Armed {
    fault: Fault,
    /// How many were injected up to this one.
    pub(super) number: u64,
    matched: Mutex<u64>,
    struck: watch::Sender<u64>,
    removed: watch::Sender<bool>,
}

impl Faults {
    pub(super) fn inject(&self, fault: Fault) -> InjectedFault {
        let mut faults = self.0.lock();
        faults.injected += 1;
        let armed = Arc::new(Armed {
            fault,
            number: faults.injected,
            matched: Mutex::new(0),
            struck: watch::Sender::new(0),
            removed: watch::Sender::new(false),
        });
        faults.armed.push(armed.clone());
        InjectedFault { armed, faults: self.clone() }
    }

    pub(super) fn clear(&self) {
        let armed = std::mem::take(&mut self.0.lock().armed);
        armed.iter().for_each(|armed| armed.release());
    }

    /// The first fault with a higher number than `after` that strikes at this request.
    pub(super) fn next(&self, request: &Request, after: u64) -> Option<Arc<Armed>> {
        // The lock is not held while the conditions of faults are evaluated: they are code of the test and may inject
        // faults.
        let armed = self.0.lock().armed.clone();
        armed.into_iter().filter(|armed| armed.number > after).find(|armed| armed.strikes_at(request))
    }
}

impl Armed {
    fn strikes_at(&self, request: &Request) -> bool {
        if !self.fault.matches(request) {
            return false;
        }
        let mut matched = self.matched.lock();
        *matched += 1;
        match self.fault.times {
            Times::Always => true,
            Times::First(n) => *matched <= n,
            Times::Nth(n) => *matched == n,
        }
    }

    /// Counts one strike, and returns its effect.
    pub(super) fn strike(&self) -> &Effect {
        self.struck.send_modify(|struck| *struck += 1);
        &self.fault.effect
    }

    pub(super) async fn until_removed(&self) {
        // Fails only without a sender, which `self` holds.
        let _ = self.removed.subscribe().wait_for(|removed| *removed).await;
    }

    fn release(&self) {
        self.removed.send_replace(true);
    }
}

/// An active fault. Dropping this value does not remove the fault.
#[derive(Clone, Debug)]
pub struct InjectedFault {
    armed: Arc<Armed>,
    faults: Faults,
}

impl InjectedFault {
    /// How often it has struck.
    pub fn struck(&self) -> u64 {
        *self.armed.struck.borrow()
    }

    /// Waits until it has struck at least this often.
    ///
    /// It may wait forever; limit it with `tokio::time::timeout`.
    pub async fn until_struck(&self, times: u64) {
        // Fails only without a sender, and that is in the fault that this holds.
        let _ = self.armed.struck.subscribe().wait_for(|struck| *struck >= times).await;
    }

    /// Removes the fault. Requests that it stalls are answered now.
    pub fn remove(&self) {
        self.faults.0.lock().armed.retain(|armed| !Arc::ptr_eq(armed, &self.armed));
        self.armed.release();
    }
}

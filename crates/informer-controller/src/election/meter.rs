//! The metrics of an election, under client-go's names where it has them.

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

pub(super) struct Meter {
    leads: Gauge,
    pub(super) slow: Counter,
    pub(super) lost: Counter,
    pub(super) answer: Histogram,
}

impl Meter {
    pub(super) fn new(lease: &str) -> Self {
        kube_informer::metrics_order::begin();
        let labels = [("name", lease.to_owned())];
        let meter = Self {
            leads: gauge!("leader_election_master_status", &labels),
            // Renewals that had to read the Lease first.
            slow: counter!("leader_election_slowpath_total", &labels),
            lost: counter!("leader_election_lost_total", &labels),
            // From when a write of the Lease was sent to its answer.
            answer: histogram!("leader_election_write_seconds", &labels),
        };
        meter.leads(false);
        meter
    }

    pub(super) fn leads(&self, leads: bool) {
        self.leads.set(f64::from(u8::from(leads)));
    }
}

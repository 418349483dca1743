//! How many events came to the server, and how many did not, and why.

use metrics::{Counter, counter};

use super::core::Dropped;

#[derive(Clone)]
pub(super) struct Meter {
    written: Counter,
    spam: Counter,
    full: Counter,
    refused: Counter,
    failed: Counter,
}

impl Meter {
    pub(super) fn new(controller: &str) -> Self {
        kube_informer::metrics_order::begin();
        let dropped = |reason: &str| {
            let labels = [("controller", controller.to_owned()), ("reason", reason.to_owned())];
            counter!("events_dropped_total", &labels)
        };
        Self {
            written: counter!("events_written_total", &[("controller", controller.to_owned())]),
            spam: dropped("spam"),
            full: dropped("full"),
            refused: dropped("refused"),
            failed: dropped("failed"),
        }
    }

    pub(super) fn written(&self) {
        self.written.increment(1);
    }

    pub(super) fn count(&self, event: Result<(), Dropped>) {
        match event {
            Ok(()) => {}
            Err(Dropped::Spam) => self.spam.increment(1),
            Err(Dropped::Full) => self.full.increment(1),
            Err(Dropped::Refused) => self.refused.increment(1),
            Err(Dropped::Failed) => self.failed.increment(1),
        }
    }
}

//! How long a Lease lasts, and how often it is renewed.

use std::time::Duration;

use super::error::ElectionError;

/// The times of an election, with client-go's names and defaults.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// How long others wait after the last renewal that they saw.
    pub(super) lease_duration: Duration,
    /// How long after a renewal was sent the leader trusts in it.
    pub(super) renew_deadline: Duration,
    /// How often it renews.
    pub(super) retry_period: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

impl Timing {
    /// The rules of client-go. What is between the first two is what clocks of different speed and slow answers may use up.
    pub(super) fn check(&self) -> Result<(), ElectionError> {
        let Self { lease_duration, renew_deadline, retry_period } = *self;
        let wrong = |why: String| Err(ElectionError::Timing { why });
        if retry_period.is_zero() {
            return wrong("the retry period is zero".to_owned());
        }
        if lease_duration < Duration::from_secs(1) {
            return wrong(format!(
                "the lease duration of {lease_duration:?} is less than a second, which a Lease cannot say"
            ));
        }
        if lease_duration <= renew_deadline {
            return wrong(format!(
                "the lease duration of {lease_duration:?} is not longer than the renew deadline of {renew_deadline:?}"
            ));
        }
        if renew_deadline <= retry_period.mul_f64(1.2) {
            return wrong(format!(
                "the renew deadline of {renew_deadline:?} is not longer than 1.2 times the retry period of {retry_period:?}"
            ));
        }
        Ok(())
    }

    /// How long an answer is waited for.
    pub(super) fn request_timeout(&self) -> Duration {
        (self.renew_deadline / 2).max(Duration::from_secs(1)).min(self.renew_deadline)
    }

    /// In whole seconds, as a Lease has it, and never less than it is.
    pub(super) fn lease_seconds(&self) -> u64 {
        self.lease_duration.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX)
    }
}

//! How long to wait.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

/// How long a call may wait: for a time, or [for ever](Self::FOREVER). Every call of this crate that waits takes one, and a
/// `Duration` becomes one by itself.
///
/// ```
/// use std::time::Duration;
///
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::SharedInformer;
/// use kube_informer::status::Patience;
///
/// # async fn example(informer: SharedInformer<ConfigMap>) -> Result<(), Box<dyn std::error::Error>> {
/// informer.wait_synced(Duration::from_secs(30)).await?;
/// informer.wait_stopped(Patience::FOREVER).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(Option<Duration>);

impl Patience {
    /// For as long as it takes. What ends the wait is what it waits for, or that this can never come any more.
    pub const FOREVER: Self = Self(None);

    /// The longest time, unless it is for ever.
    pub fn limit(self) -> Option<Duration> {
        self.0
    }

    /// Waits for this future. The error is how long that was, if it took longer.
    pub async fn wait<T>(self, future: impl Future<Output = T>) -> Result<T, Duration> {
        match self.0 {
            Some(limit) => timeout(limit, future).await.map_err(|_| limit),
            None => Ok(future.await),
        }
    }

    /// What is left of it after this time.
    #[must_use]
    pub fn left_after(self, elapsed: Duration) -> Self {
        Self(self.0.map(|limit| limit.saturating_sub(elapsed)))
    }

    /// When it ends, if it begins now.
    pub(crate) fn deadline(self) -> Instant {
        // Not by adding: that overflows with the longest durations.
        sleep(self.0.unwrap_or(Duration::MAX)).deadline()
    }
}

impl From<Duration> for Patience {
    fn from(limit: Duration) -> Self {
        Self(Some(limit))
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(limit) => write!(f, "{limit:?}"),
            None => f.write_str("for ever"),
        }
    }
}

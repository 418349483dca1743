//! How long what failed has to wait.

use std::time::Duration;

use super::nanos;
use super::ready::Moment;

/// How long an item waits after a failure. A value: two queues with clones of it do not influence each other.
///
/// ```
/// use std::time::Duration;
/// use informer_controller::queue::RateLimit;
///
/// // client-go's: 5 ms, doubled with every failure up to 1000 s, and ten a second of all items together.
/// let limit = RateLimit::max_of([
///     RateLimit::exponential(Duration::from_millis(5), Duration::from_secs(1000)),
///     RateLimit::bucket(10.0, 100),
/// ]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RateLimit(Kind);

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Exponential {
        first: i64,
        longest: i64,
        jitter: f64,
    },
    Bucket {
        /// Between two tokens.
        interval: i64,
        burst: u32,
        /// When the bucket is going to be full again.
        full_at: Moment,
    },
    MaxOf(Vec<RateLimit>),
}

impl RateLimit {
    /// `first` after the first failure in a row of an item, then twice as long each time, up to `longest`.
    pub fn exponential(first: Duration, longest: Duration) -> Self {
        Self(Kind::Exponential { first: nanos(first), longest: nanos(longest), jitter: 0.0 })
    }

    /// Makes waits of an [`exponential`](Self::exponential) limit longer by up to this share, at random, so that what failed
    /// together does not come back together.
    #[must_use]
    pub fn jitter(mut self, share: f64) -> Self {
        match &mut self.0 {
            Kind::Exponential { jitter, .. } => *jitter = share.clamp(0.0, 1.0),
            Kind::MaxOf(all) => {
                *all = std::mem::take(all).into_iter().map(|limit| limit.jitter(share)).collect();
            }
            Kind::Bucket { .. } => {}
        }
        self
    }

    /// So many failures a second of all items together, and so many at once after a quiet time.
    pub fn bucket(per_second: f64, burst: u32) -> Self {
        let interval = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or(Duration::MAX);
        Self(Kind::Bucket { interval: nanos(interval), burst: burst.max(1), full_at: 0 })
    }

    /// The longest wait of several limits. Each of them counts the failure.
    pub fn max_of(limits: impl IntoIterator<Item = Self>) -> Self {
        Self(Kind::MaxOf(limits.into_iter().collect()))
    }

    /// How long to wait after the `failures`-th failure in a row of an item.
    pub(super) fn wait(&mut self, failures: u32, now: Moment, random: &mut fastrand::Rng) -> i64 {
        match &mut self.0 {
            Kind::Exponential { first, longest, jitter } => {
                let doublings = failures.saturating_sub(1).min(62);
                let wait = first.saturating_mul(1 << doublings).min(*longest);
                #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
                // A share of a wait, which is rough.
                let more = (wait as f64 * *jitter * random.f64()) as i64;
                wait.saturating_add(more)
            }
            Kind::Bucket { interval, burst, full_at } => {
                let begin = now.max(*full_at);
                *full_at = begin.saturating_add(*interval);
                let at_once = interval.saturating_mul(i64::from(*burst - 1));
                (begin - now).saturating_sub(at_once).max(0)
            }
            Kind::MaxOf(limits) => {
                limits.iter_mut().map(|limit| limit.wait(failures, now, random)).max().unwrap_or_default()
            }
        }
    }
}

/// 5 ms, doubled with every failure in a row up to 1000 s, longer by up to a tenth at random.
impl Default for RateLimit {
    fn default() -> Self {
        Self::exponential(Duration::from_millis(5), Duration::from_secs(1000)).jitter(0.1)
    }
}

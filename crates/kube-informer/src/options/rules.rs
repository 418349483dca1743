//! The numbers that the decisions of a reflector are made by, out of the tuning.

use informer_core::reflector::backoff::Waits;
use informer_core::reflector::cursor::Rules;

use crate::source::Tuning;

impl From<&Tuning> for Rules {
    fn from(tuning: &Tuning) -> Self {
        Self {
            page_size: tuning.page_size,
            streaming: tuning.streaming_list,
            fallback_memory: tuning.fallback_memory,
            short_watch: tuning.short_watch,
            errors_to_relist: tuning.errors_to_relist,
            silences_to_relist: tuning.silences_to_relist,
            early_ends_to_list: tuning.early_ends_to_list,
        }
    }
}

impl From<&Tuning> for Waits {
    fn from(tuning: &Tuning) -> Self {
        Self {
            first: tuning.backoff_first,
            factor: tuning.backoff_factor,
            limit: tuning.backoff_limit,
            jitter: tuning.backoff_jitter,
            steady: tuning.backoff_steady,
            reset: tuning.backoff_reset,
            retry_after_limit: tuning.retry_after_limit,
        }
    }
}

//! The numbers that the decisions of a reflector are made by.

use informer_core::reflector::backoff::Waits;
use informer_core::reflector::cursor::Rules;

use crate::source::Tuning;

impl Tuning {
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            page_size: self.page_size,
            streaming: self.streaming_list,
            fallback_memory: self.fallback_memory,
            short_watch: self.short_watch,
            errors_to_relist: self.errors_to_relist,
            silences_to_relist: self.silences_to_relist,
            early_ends_to_list: self.early_ends_to_list,
        }
    }

    pub(crate) fn waits(&self) -> Waits {
        Waits {
            first: self.backoff_first,
            factor: self.backoff_factor,
            limit: self.backoff_limit,
            jitter: self.backoff_jitter,
            steady: self.backoff_steady,
            reset: self.backoff_reset,
            retry_after_limit: self.retry_after_limit,
        }
    }
}

//! The numbers that the decisions of a reflector are made by, out of the options.

use informer_core::reflector::backoff::Waits;
use informer_core::reflector::cursor::Rules;

use super::Options;

impl From<&Options> for Rules {
    fn from(options: &Options) -> Self {
        Self {
            page_size: options.page_size,
            streaming: options.streaming_list,
            fallback_memory: options.fallback_memory,
            short_watch: options.short_watch,
            errors_to_relist: options.errors_to_relist,
            silences_to_relist: options.silences_to_relist,
            early_ends_to_list: options.early_ends_to_list,
        }
    }
}

impl From<&Options> for Waits {
    fn from(options: &Options) -> Self {
        Self {
            first: options.backoff_first,
            factor: options.backoff_factor,
            limit: options.backoff_limit,
            jitter: options.backoff_jitter,
            steady: options.backoff_steady,
            reset: options.backoff_reset,
            retry_after_limit: options.retry_after_limit,
        }
    }
}

//! Which options cannot work.

use std::time::Duration;

use crate::error::BuildError;
use crate::options::Options;
use crate::source::Tuning;

impl Options {
    /// Names the first option that cannot work.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        if let Some(Err(problem)) =
            self.drop_fields.iter().map(|field| &field.path).find(|path| path.is_err())
        {
            return Err(BuildError::problem(problem));
        }
        if self.namespaces.named().is_some_and(|namespaces| namespaces.contains("")) {
            return Err(BuildError::problem("a namespace is empty; leave it out to look at all of them"));
        }
        self.tuning.check()
    }
}

impl Tuning {
    /// Names the first number that cannot work.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let fail = |option, problem| Err(BuildError::cannot_work(option, problem));
        let waits = [
            ("backoff_first", self.backoff_first),
            ("backoff_reset", self.backoff_reset),
            ("streaming_timeout", self.streaming_timeout),
            ("list_silence", self.list_silence),
            ("watch_grace", self.watch_grace),
            ("bookmark_silence", self.bookmark_silence),
            ("idle_watch", self.idle_watch),
            ("gone_retry", self.gone_retry),
            ("list_limit", self.list_limit),
            ("poll", self.poll),
            ("request_interval", self.request_interval),
            ("relist_interval", self.relist_interval),
            ("minimum_resync", self.minimum_resync),
        ];
        if let Some((option, _)) = waits.iter().find(|(_, wait)| wait.is_zero()) {
            return fail(option, "must not be zero");
        }
        if !(self.backoff_factor.is_finite() && self.backoff_factor >= 1.0) {
            return fail("backoff_factor", "must be 1 or more");
        }
        if !(self.backoff_jitter.is_finite() && self.backoff_jitter >= 0.0) {
            return fail("backoff_jitter", "must not be negative");
        }
        if self.backoff_limit < self.backoff_first {
            return fail("backoff_limit", "must not be below backoff_first");
        }
        if !(Duration::from_secs(1)..=Duration::from_secs(86_400)).contains(&self.min_watch_timeout) {
            return fail("min_watch_timeout", "must be between a second and a day");
        }
        for (option, interval) in
            [("request_interval", self.request_interval), ("relist_interval", self.relist_interval)]
        {
            if interval > Duration::from_secs(86_400) {
                return fail(option, "must not be more than a day");
            }
        }
        if self.page_size == Some(0) {
            return fail("page_size", "must not be zero");
        }
        for (option, bound) in [
            ("document_limit", self.document_limit),
            ("queue_bytes", self.queue_bytes),
            ("queue_entries", self.queue_entries),
        ] {
            if bound == 0 {
                return fail(option, "must not be zero");
            }
        }
        for (option, count) in [
            ("errors_to_relist", self.errors_to_relist),
            ("silences_to_relist", self.silences_to_relist),
            ("streaming_objects", self.streaming_objects),
            ("request_burst", self.request_burst),
            ("relist_burst", self.relist_burst),
            ("early_ends_to_list", self.early_ends_to_list),
        ] {
            if count == 0 {
                return fail(option, "must not be zero");
            }
        }
        Ok(())
    }
}

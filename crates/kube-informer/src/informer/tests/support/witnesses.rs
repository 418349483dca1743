//! Handlers of all sorts that come and go, each with a listener that checks what it hears.

use std::time::Duration;

use fastrand::Rng;
use k8s_openapi::api::core::v1::ConfigMap;

use super::cached;
use super::listener::Listener;
use crate::handler::{Handler, Registration, async_handler, handler};
use crate::informer::SharedInformer;

#[derive(Default)]
pub(crate) struct Witnesses {
    present: Vec<(Listener, Registration)>,
    gone: Vec<Listener>,
}

impl Witnesses {
    pub(crate) fn join(&mut self, random: &mut Rng, informer: &SharedInformer<ConfigMap>) {
        let listener = Listener::default();
        let hears = listener.clone();
        let (kind, chance) = (random.u8(0..5), random.u64(..));
        let mut random = Rng::with_seed(chance);
        let new: Handler<ConfigMap> = match kind {
            0 => handler().on_event(move |event| hears.hear(event)).every_event(random.usize(0..5)),
            1 => async_handler(move |event| {
                hears.hear(&event);
                let pause = Duration::from_millis(random.u64(0..5_000));
                async move { tokio::time::sleep(pause).await }
            }),
            2 => handler().on_event(move |event| {
                hears.hear(event);
                if random.u8(0..3) == 0 {
                    // Unwinds without the hook that prints.
                    std::panic::resume_unwind(Box::new("a handler that panics now and then"));
                }
            }),
            3 => handler().on_event(move |event| hears.hear(event)).resync(Duration::from_secs(1)),
            _ => handler().on_event(move |event| hears.hear(event)),
        };
        let registration = informer.add_event_handler(new).expect("the informer runs");
        self.present.push((listener, registration));
    }

    pub(crate) fn leave(&mut self, random: &mut Rng) {
        if self.present.is_empty() {
            return;
        }
        let (listener, registration) = self.present.swap_remove(random.usize(..self.present.len()));
        registration.remove();
        listener.removed();
        self.gone.push(listener);
    }

    /// Panics if one of them heard what it should not have.
    pub(crate) fn check(&self) {
        for listener in self.present.iter().map(|(listener, _)| listener).chain(&self.gone) {
            listener.check();
        }
    }

    /// How many calls each of them had.
    pub(crate) fn calls(&self) -> Vec<usize> {
        self.present.iter().map(|(listener, _)| listener.calls()).collect()
    }

    /// Where the cache or a handler is not yet where the server is; empty if they agree.
    pub(crate) fn differences(
        &self,
        informer: &SharedInformer<ConfigMap>,
        expected: &[(String, String, String)],
    ) -> String {
        let cached = cached(informer);
        if cached != expected || !informer.has_synced() {
            return format!("cache {cached:?}, server {expected:?}, status {:?}", informer.status());
        }
        let versions: Vec<_> =
            expected.iter().map(|(key, version, _)| (key.clone(), version.clone())).collect();
        for (listener, registration) in &self.present {
            if listener.believes() != versions {
                let (believes, log) = (listener.believes(), listener.log());
                return format!("{} believes {believes:?}, not {versions:?}: {log:?}", registration.name());
            }
            if !registration.has_synced() {
                return format!("{} is not synced", registration.name());
            }
        }
        String::new()
    }
}

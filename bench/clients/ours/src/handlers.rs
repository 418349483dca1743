//! The handlers of the benchmark.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bench_meter::{Progress, Work};
use kube_informer::{Event, Handler, Object, async_handler, handler as new_handler};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A field of the spec and one of the status.
#[derive(Deserialize)]
struct View {
    spec: Option<Spec>,
    status: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    node_name: Option<String>,
}

#[derive(Deserialize)]
struct Status {
    phase: Option<String>,
}

/// The resource version as a number.
pub(crate) fn version<K>(object: &Object<K>) -> u64 {
    object.resource_version().to_string().parse().unwrap_or_default()
}

/// A handler that notes what it hears, after doing its work.
pub(crate) fn handler<K>(work: Work, progress: &Arc<Progress>) -> Handler<K>
where
    K: DeserializeOwned + Send + Sync + 'static,
{
    let (added, updated) = (progress.clone(), progress.clone());
    new_handler()
        .on_add(move |object: &Object<K>| {
            black_box(object.name());
            added.heard(0);
        })
        .on_update(move |_, object: &Object<K>| {
            match work {
                Work::None => {
                    black_box(object.name());
                }
                Work::View => {
                    if let Ok(view) = object.view::<View>() {
                        black_box(view.spec.and_then(|spec| spec.node_name));
                        black_box(view.status.and_then(|status| status.phase));
                    }
                }
                Work::Get => {
                    black_box(object.get().is_ok());
                }
            }
            updated.heard(version(object));
        })
}

/// Switches a handler from returning at once to never returning.
#[derive(Clone, Default)]
pub(crate) struct Stuck(Arc<AtomicBool>);

impl Stuck {
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A handler that gets stuck on command.
pub(crate) fn stuck<K: Send + Sync + 'static>(stuck: &Stuck) -> Handler<K> {
    let stuck = stuck.clone();
    async_handler(move |_: Event<K>| {
        let stuck = stuck.clone();
        async move {
            if stuck.0.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
        }
    })
}

//! What waiting promises: after `Ok` the cache never shows an older state of that key, unless the server went back in time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer_wire::{ObjectKey, ResourceVersion, Uid};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::number;
use crate::informer::SharedInformer;
use crate::informer::tasks::Spawn;
use crate::source::ScriptedSource;

/// Waits in tasks of their own, and what they were promised.
#[derive(Default)]
pub(super) struct Promises {
    /// All that ever happened at the server: for each key the versions, and which incarnation there was from then on.
    log: BTreeMap<ObjectKey, Vec<(u64, Option<Uid>)>>,
    /// `None` once the server has gone back in time: from then on nothing is promised.
    made: Arc<Mutex<Option<Vec<Promise>>>>,
    waiting: Arc<AtomicUsize>,
}

#[derive(Clone, Debug)]
struct Promise {
    key: ObjectKey,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// The state at this version, or a later one.
    Version(u64),
    /// This incarnation is gone.
    Gone(Uid),
}

impl Promises {
    pub(super) fn new() -> Self {
        Self { made: Arc::new(Mutex::new(Some(Vec::new()))), ..Self::default() }
    }

    /// Writes down what the server did to a key.
    pub(super) fn happened(&mut self, server: &ScriptedSource, key: &str, version: &ResourceVersion) {
        let key: ObjectKey = key.parse().expect("a key");
        let of_key = |object: &serde_json::Value| {
            let metadata = &object["metadata"];
            let here = metadata["namespace"] == *key.namespace()? && metadata["name"] == *key.name();
            here.then(|| Uid::new(metadata["uid"].as_str().unwrap_or_default()))
        };
        let uid = server.objects().iter().find_map(of_key);
        self.log.entry(key).or_default().push((number(version), uid));
    }

    /// The server went back in time: all promises are void.
    pub(super) fn void(&mut self) {
        *self.made.lock() = None;
    }

    /// A namespace is no longer looked at, so nothing is promised of it.
    pub(super) fn forget(&mut self, namespace: &str) {
        if let Some(made) = &mut *self.made.lock() {
            made.retain(|promise| promise.key.namespace() != Some(namespace));
        }
    }

    /// Waits for something that happened lately, or for something to go that may still be there.
    pub(super) fn wait(
        &mut self,
        random: &mut fastrand::Rng,
        spawn: &Arc<dyn Spawn>,
        informer: &SharedInformer<ConfigMap>,
    ) {
        if self.log.is_empty() {
            return;
        }
        let (key, history) = self.log.iter().nth(random.usize(..self.log.len())).expect("one of them");
        let lately = history.len().saturating_sub(random.usize(1..4));
        let (version, uid) = &history[lately];
        let what = match uid {
            Some(uid) if random.bool() => What::Gone(uid.clone()),
            None if random.bool() => match history[..lately].iter().rev().find_map(|(_, uid)| uid.clone()) {
                Some(uid) => What::Gone(uid),
                None => What::Version(*version),
            },
            _ => What::Version(*version),
        };
        let promise = Promise { key: key.clone(), what };
        let deadline = Duration::from_millis(random.u64(0..60_000));
        let (informer, made, waiting) = (informer.clone(), self.made.clone(), self.waiting.clone());
        waiting.fetch_add(1, Ordering::Relaxed);
        spawn.spawn(Box::pin(async move {
            let outcome = match &promise.what {
                What::Version(version) => {
                    let version = ResourceVersion::new(&version.to_string());
                    informer.wait_for_version(&promise.key, &version, deadline).await
                }
                What::Gone(uid) => informer.wait_gone(&promise.key, uid, deadline).await,
            };
            if let (Ok(()), Some(made)) = (outcome, &mut *made.lock()) {
                made.push(promise);
            }
            waiting.fetch_sub(1, Ordering::Relaxed);
        }));
    }

    /// How many still wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// No promise is broken at this moment.
    pub(super) fn check(&self, informer: &SharedInformer<ConfigMap>) {
        let made = self.made.lock();
        for promise in made.iter().flatten() {
            let shown = informer.lister().by_key(&promise.key).ok();
            let shown = shown.as_ref().map(|object| (number(object.resource_version()), object.uid()));
            let history = &self.log[&promise.key];
            let kept = match &promise.what {
                What::Version(wanted) => {
                    let place =
                        history.iter().rposition(|(version, _)| version <= wanted).expect("it happened");
                    let (least, then) = &history[place];
                    match shown {
                        Some((version, _)) => version >= *least,
                        None => then.is_none() || history[place..].iter().any(|(_, uid)| uid.is_none()),
                    }
                }
                What::Gone(uid) => {
                    let last = history.iter().rposition(|(_, there)| there.as_ref() == Some(uid));
                    let ended = last.is_some_and(|last| last + 1 < history.len());
                    ended && shown.is_none_or(|(_, there)| there != uid)
                }
            };
            assert!(kept, "{promise:?} is broken: the cache shows {shown:?}, the server did {history:?}");
        }
    }
}

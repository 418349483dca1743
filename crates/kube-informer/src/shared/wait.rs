//! Read your writes: waiting until the cache has what was just written.

use std::cmp::Ordering;
use std::time::Duration;

use crate::key::ObjectKey;
use crate::kind::KindInfo;
use crate::scope::ScopeId;
use crate::shared::SharedInformer;
use crate::shared::core::Core;
use crate::shared::scopes::ScopeSlot;
use crate::status::RelistReason;
use crate::version::{ResourceVersion, Uid};

/// The cache did not come to hold what was waited for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// Not in time.
    #[error("{}", timeout_text(kind, key, version, *waited, at))]
    Timeout {
        /// The kind.
        kind: KindInfo,
        /// The object.
        key: ObjectKey,
        /// What was waited for; empty if that was for the object to be gone.
        version: String,
        /// For how long.
        waited: Duration,
        /// Up to where the cache is complete; empty if it has not been filled.
        at: String,
    },
    /// The versions cannot be compared, so there is no telling whether the cache has passed it.
    #[error("resource version {version:?} of {kind} {key} cannot be compared with those in the cache")]
    NotComparable {
        /// The kind.
        kind: KindInfo,
        /// The object.
        key: ObjectKey,
        /// What was waited for.
        version: String,
    },
    /// The server went back in time: what was written may be gone.
    #[error("the server of {kind} has gone back in time; read {key} again before relying on it")]
    Rewound {
        /// The kind.
        kind: KindInfo,
        /// The object.
        key: ObjectKey,
    },
    /// The informer does not look at this object's namespace, or no longer.
    #[error("the informer of {kind} does not look at the namespace of {key}")]
    OutOfScope {
        /// The kind.
        kind: KindInfo,
        /// The object.
        key: ObjectKey,
    },
    /// The informer has stopped.
    #[error("the informer of {kind} has stopped")]
    Stopped {
        /// The kind.
        kind: KindInfo,
    },
}

impl<K: 'static> SharedInformer<K> {
    /// Waits until the cache holds this object as it was written, or a later state.
    ///
    /// Pass what the server answered to the write: it carries the resource version.
    pub async fn wait_for(
        &self,
        written: &impl kube_core::Resource,
        deadline: Duration,
    ) -> Result<(), WaitError> {
        let meta = written.meta();
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let key = ObjectKey::namespaced(text(&meta.namespace), text(&meta.name));
        let version = ResourceVersion::new(&text(&meta.resource_version));
        self.wait_for_version(&key, &version, deadline).await
    }

    /// The same by key and resource version.
    pub async fn wait_for_version(
        &self,
        key: &ObjectKey,
        version: &ResourceVersion,
        deadline: Duration,
    ) -> Result<(), WaitError> {
        self.wait(key, &version.to_string(), deadline, |core, scope| holds(core, scope, key, version)).await
    }

    /// Waits until the cache no longer holds this incarnation of the object.
    pub async fn wait_gone(&self, key: &ObjectKey, uid: &Uid, deadline: Duration) -> Result<(), WaitError> {
        let gone = |core: &Core, scope| {
            // A cache that has not been filled shows nothing, which proves nothing.
            let absent = || core.indexer.get(key).is_none_or(|record| record.head.uid != *uid);
            Some(core.indexer.synced(scope) && absent())
        };
        self.wait(key, "", deadline, gone).await
    }

    /// Asks after every commit; `None` from the question means that there is no telling.
    async fn wait(
        &self,
        key: &ObjectKey,
        version: &str,
        deadline: Duration,
        mut question: impl FnMut(&Core, ScopeId) -> Option<bool>,
    ) -> Result<(), WaitError> {
        let core = self.core();
        let kind = core.kind.clone();
        let rewinds = |slot: &ScopeSlot| slot.status.get().relists(RelistReason::Rewound);
        // The scope may be removed while we wait, and even be there again as another one.
        let mut seen: Option<(ScopeId, u64)> = None;
        let mut state = core.state.subscribe();
        let wait = async {
            loop {
                let stopped = state.borrow_and_update().stopped;
                let Some(slot) = core.scopes.of_key(key) else {
                    return Err(WaitError::OutOfScope { kind: kind.clone(), key: key.clone() });
                };
                let before = seen.filter(|(id, _)| *id == slot.id);
                let (_, rewinds_before) = *seen.insert(before.unwrap_or_else(|| (slot.id, rewinds(&slot))));
                if rewinds(&slot) != rewinds_before {
                    return Err(WaitError::Rewound { kind: kind.clone(), key: key.clone() });
                }
                match question(core, slot.id) {
                    Some(true) => return Ok(()),
                    Some(false) => {}
                    None => {
                        let (kind, key, version) = (kind.clone(), key.clone(), version.to_owned());
                        return Err(WaitError::NotComparable { kind, key, version });
                    }
                }
                if stopped || state.changed().await.is_err() {
                    return Err(WaitError::Stopped { kind: kind.clone() });
                }
            }
        };
        tokio::time::timeout(deadline, wait).await.unwrap_or_else(|_| {
            Err(WaitError::Timeout {
                kind: kind.clone(),
                key: key.clone(),
                version: version.to_owned(),
                waited: deadline,
                at: core
                    .scopes
                    .of_key(key)
                    .map(|slot| core.indexer.version(slot.id).to_string())
                    .unwrap_or_default(),
            })
        })
    }
}

fn timeout_text(kind: &KindInfo, key: &ObjectKey, version: &str, waited: Duration, at: &str) -> String {
    let shown = match version {
        "" if at.is_empty() => format!("does not tell whether {key} is gone after {waited:?}"),
        "" => format!("still showed {key} after {waited:?}"),
        version => format!("did not show {key} at {version} within {waited:?}"),
    };
    let progress = if at.is_empty() { "has not been filled".to_owned() } else { format!("is at {at}") };
    format!("the cache of {kind} {shown}; it {progress}")
}

/// Whether the store shows the key at this version or later, or is complete beyond it.
fn holds(core: &Core, scope: ScopeId, key: &ObjectKey, version: &ResourceVersion) -> Option<bool> {
    let stored = core.indexer.get(key);
    if stored.as_ref().is_some_and(|record| record.head.resource_version == *version) {
        return Some(true);
    }
    let reached = |at: &ResourceVersion| at.compare(version).map(|order| order != Ordering::Less);
    let of_scope = core.indexer.version(scope);
    if of_scope.is_empty() {
        return (version.compare(version).is_some()).then_some(false);
    }
    let by_object = stored.and_then(|record| reached(&record.head.resource_version));
    match (by_object, reached(&of_scope)) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (_, Some(false)) => Some(false),
        (_, None) => None,
    }
}

//! Read your writes: waiting until the cache holds an object that the caller has just written, or what the server has of it.

use std::cmp::Ordering;
use std::time::Duration;

use informer_core::scope::ScopeId;
use informer_core::store::indexer::Standing;
use informer_wire::{ObjectKey, ResourceVersion, Uid};
use tokio::time::{Instant, sleep_until};

use crate::error::{Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::informer::engine::Engine;
use crate::informer::lookups::{Answer, Outcome};
use crate::informer::scopes::ScopeSlot;
use crate::informer::waiters::Seat;
use crate::status::{Patience, Phase, RelistReason};

/// The longest time between two requests to the server for one object.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl<K: 'static> SharedInformer<K> {
    /// Waits until the cache holds this object as it was written, or a later state. From then on the cache never shows
    /// an earlier state, unless the server itself goes back in time.
    ///
    /// Pass the object that the server returned for the write: it carries the resource version.
    ///
    /// The watch usually brings the change within milliseconds. If it has not after
    /// [`Tuning::lookup_after`](crate::source::Tuning::lookup_after), the informer lists that one object. So the wait also
    /// ends soon where the watch brings nothing: after a write that makes the object no longer match the informer's
    /// selectors, for a kind without bookmarks, or on a connection that hangs.
    ///
    /// If the server went back in time before the cache held the object, [`is_rewound`](WaitError::is_rewound) of the
    /// error is true: the write may be undone.
    pub async fn wait_for(
        &self,
        written: &impl kube_core::Resource,
        patience: impl Into<Patience>,
    ) -> Result<(), WaitError> {
        let meta = written.meta();
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        let key = ObjectKey::namespaced(text(&meta.namespace), text(&meta.name));
        let version = ResourceVersion::new(&text(&meta.resource_version));
        self.wait_for_version(&key, &version, patience).await
    }

    /// Like [`wait_for`](Self::wait_for), by key and resource version.
    pub async fn wait_for_version(
        &self,
        key: &ObjectKey,
        version: &ResourceVersion,
        patience: impl Into<Patience>,
    ) -> Result<(), WaitError> {
        self.wait(key, Wanted::Version(version), patience.into()).await
    }

    /// Waits until the object with this key and uid has left the cache for good.
    ///
    /// Call it after the delete. If the cache does not hold the object, that proves nothing, because the event of its
    /// creation may not have arrived yet; then the informer lists that one object at once. If the cache holds the
    /// object, and it does not leave the cache within [`Tuning::lookup_after`](crate::source::Tuning::lookup_after), the
    /// informer lists it as well. An object that a transform refuses is not in the cache, and counts as gone.
    pub async fn wait_gone(
        &self,
        key: &ObjectKey,
        uid: &Uid,
        patience: impl Into<Patience>,
    ) -> Result<(), WaitError> {
        self.wait(key, Wanted::Gone(uid), patience.into()).await
    }

    /// Asks the server for this one object, and waits until the cache shows the state that it answered, or a later one: also
    /// that there is no such object. From then on the cache never shows a state that is older than this call.
    ///
    /// For an object of which the program knows that it may have changed, without knowing how, such as after a write whose
    /// answer was lost. The request is sent as soon as the budget for single objects allows
    /// ([`Tuning::request_burst`](crate::source::Tuning::request_burst)), and again after a while if it is not answered; many
    /// of them together are answered by one list. To read everything again use [`refresh`](Self::refresh).
    pub async fn refresh_one(&self, key: &ObjectKey, patience: impl Into<Patience>) -> Result<(), WaitError> {
        self.wait(key, Wanted::Refreshed, patience.into()).await
    }

    async fn wait(&self, key: &ObjectKey, wanted: Wanted<'_>, patience: Patience) -> Result<(), WaitError> {
        let engine = self.engine();
        let wait = Wait::new(engine, key, wanted);
        patience.wait(wait.run()).await.unwrap_or_else(|waited| {
            let complete = engine.scopes.of_key(key).map(|slot| engine.indexer.version(slot.id).to_string());
            let key = key.clone();
            let at = complete.unwrap_or_default();
            let unmet = match wanted {
                Wanted::Version(version) => Unmet::Timeout { key, version: version.to_string(), waited, at },
                Wanted::Gone(_) => Unmet::Timeout { key, version: String::new(), waited, at },
                Wanted::Refreshed => Unmet::NotRefreshed { key, waited, at },
            };
            Err(WaitError::new(&engine.kind, unmet))
        })
    }
}

/// The condition of a wait.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    Version(&'a ResourceVersion),
    Gone(&'a Uid),
    /// The state that the server answers with when it is asked for the object.
    Refreshed,
}

impl<'a> Wanted<'a> {
    fn version(self) -> Option<&'a ResourceVersion> {
        match self {
            Self::Version(version) => Some(version),
            Self::Gone(_) | Self::Refreshed => None,
        }
    }

    fn uid(self) -> Option<&'a Uid> {
        match self {
            Self::Version(_) | Self::Refreshed => None,
            Self::Gone(uid) => Some(uid),
        }
    }
}

/// One wait of one caller.
struct Wait<'a> {
    engine: &'a Engine,
    key: &'a ObjectKey,
    wanted: Wanted<'a>,
    /// The scope may be removed during the wait, and even be added again with another number.
    scope: Option<InScope>,
}

/// The state of the wait that belongs to one scope.
struct InScope {
    id: ScopeId,
    /// How often the server had gone back in time when the wait began: relists begun for that reason, and relists
    /// completed.
    rewinds: (u64, u64),
    /// Whether the cache has held the object with the uid that is to be gone.
    held: bool,
    /// Whether the cache holds it now.
    holds: bool,
    /// A version that the server had reached after the wait began, from a request for the object.
    as_of: Option<ResourceVersion>,
    /// The pending request for the object.
    answer: Option<Answer>,
    /// When to send the next request; `None` before the scope has been listed.
    ask_at: Option<Instant>,
    asked: bool,
    /// The time between the next two requests.
    pause: Duration,
}

impl<'a> Wait<'a> {
    fn new(engine: &'a Engine, key: &'a ObjectKey, wanted: Wanted<'a>) -> Self {
        Self { engine, key, wanted, scope: None }
    }

    async fn run(mut self) -> Result<(), WaitError> {
        let mut seat: Option<Seat<'a>> = None;
        loop {
            let stopped = self.engine.state.borrow().stopped;
            let slot = self.engine.scopes.of_key(self.key);
            let slot = slot.ok_or_else(|| self.error(Unmet::OutOfScope { key: self.key.clone() }))?;
            if let (Some(seat), Some(version)) = (&mut seat, self.version_in(slot.id)) {
                seat.await_version(slot.id, version);
            }
            if self.look(&slot)? {
                return Ok(());
            }
            if stopped {
                return Err(self.engine.stopped().into());
            }
            match &seat {
                // Registers this wait and then checks the store again: changes before the registration would be missed
                // otherwise.
                None => seat = Some(self.engine.waiters.seat(self.key, self.wanted.uid().is_some())),
                Some(seat) => self.news(seat, &slot).await?,
            }
        }
    }

    /// Waits until something has changed, and requests the object from the server when it is time.
    async fn news(&mut self, seat: &Seat<'_>, slot: &ScopeSlot) -> Result<(), WaitError> {
        let Some(scope) = &mut self.scope else { return Ok(()) };
        let outcome = tokio::select! {
            biased;
            () = seat.woken() => return Ok(()),
            outcome = answered(&mut scope.answer) => outcome,
            () = at(scope.ask_at), if scope.answer.is_none() => {
                scope.asked = true;
                scope.answer = Some(slot.desk.ask(self.key));
                return Ok(());
            }
        };
        scope.answer = None;
        scope.ask_at = Instant::now().checked_add(scope.pause);
        scope.pause = (scope.pause * 2).min(LONGEST_PAUSE);
        match (outcome, self.wanted) {
            (Outcome::Failed, _) => {}
            (Outcome::Rewound, _) => return Err(self.rewound()),
            (Outcome::AsOf(version), Wanted::Version(wanted)) => match version.compare(wanted) {
                // The server's most recent state is older than the write.
                Some(Ordering::Less) => return Err(self.rewound()),
                Some(_) => {}
                None => return Err(self.not_comparable(wanted)),
            },
            (Outcome::AsOf(version), Wanted::Gone(_) | Wanted::Refreshed) => {
                scope.as_of.get_or_insert(version);
            }
        }
        Ok(())
    }

    /// The version that the scope, or the key alone, has to reach.
    fn version_in(&self, scope: ScopeId) -> Option<&ResourceVersion> {
        let known = self.scope.as_ref().filter(|known| known.id == scope);
        self.wanted.version().or_else(|| known?.as_of.as_ref())
    }

    /// Whether the condition of the wait is met.
    fn look(&mut self, slot: &ScopeSlot) -> Result<bool, WaitError> {
        #[cfg(test)]
        self.engine.waiters.looked();
        let standing = self.engine.indexer.standing(slot.id, self.key, self.wanted.uid());
        let rewinds = (
            slot.status.get().relists(RelistReason::Rewound),
            standing.as_ref().map_or(0, |standing| standing.rewinds),
        );
        if self.scope.as_ref().is_none_or(|scope| scope.id != slot.id) {
            self.scope = Some(InScope::new(slot.id, rewinds));
        }
        let Some(scope) = &mut self.scope else { return Ok(false) };
        // After the server went back in time, the store can be relied on only when it holds the list that was begun for
        // that reason.
        let (begun, done) = rewinds;
        if begun > done || slot.status.phase() == Phase::Rewound || scope.rewinds != rewinds {
            return Err(self.rewound());
        }
        let Some(standing) = standing.filter(|standing| standing.synced) else {
            return match self.wanted {
                Wanted::Version(version) if version.compare(version).is_none() => {
                    Err(self.not_comparable(version))
                }
                _ => Ok(false),
            };
        };
        let came_true = match self.wanted {
            Wanted::Version(version) => has_reached(&standing, version).ok_or_else(|| version.clone()),
            Wanted::Gone(uid) => {
                scope.holds = standing.stored.as_ref().is_some_and(|record| record.head.uid == *uid);
                scope.held |= scope.holds;
                // With selectors, an object can leave the cache and come back with the same uid.
                let left = self.engine.options.selects_all() && (scope.held || standing.removed);
                if scope.holds || left { Ok(!scope.holds) } else { scope.has_answer_passed(&standing) }
            }
            Wanted::Refreshed => scope.has_answer_passed(&standing),
        };
        match came_true {
            Ok(false) => {
                scope.plan(self.wanted, self.engine.options.tuning.lookup_after);
                Ok(false)
            }
            Ok(true) => Ok(true),
            Err(version) => Err(self.not_comparable(&version)),
        }
    }

    fn rewound(&self) -> WaitError {
        self.error(Unmet::Rewound { key: self.key.clone() })
    }

    fn not_comparable(&self, version: &ResourceVersion) -> WaitError {
        self.error(Unmet::NotComparable { key: self.key.clone(), version: version.to_string() })
    }

    fn error(&self, unmet: Unmet) -> WaitError {
        WaitError::new(&self.engine.kind, unmet)
    }
}

impl InScope {
    fn new(id: ScopeId, rewinds: (u64, u64)) -> Self {
        Self {
            id,
            rewinds,
            held: false,
            holds: false,
            as_of: None,
            answer: None,
            ask_at: None,
            asked: false,
            pause: Duration::from_secs(1),
        }
    }

    /// Whether the store holds the state with which the server answered the request, or a later one. The error is a version
    /// that cannot be compared.
    fn has_answer_passed(&self, standing: &Standing) -> Result<bool, ResourceVersion> {
        let Some(version) = &self.as_of else { return Ok(false) };
        has_passed(standing, version).ok_or_else(|| version.clone())
    }

    /// When to request the object from the server: after a while, but at once if only its answer helps, as for a deletion of
    /// what the cache does not hold.
    fn plan(&mut self, wanted: Wanted<'_>, after: Duration) {
        let now = Instant::now();
        let at_once = match wanted {
            Wanted::Version(_) => false,
            Wanted::Gone(_) => !self.holds,
            Wanted::Refreshed => true,
        };
        if at_once && !self.asked {
            self.ask_at = Some(now);
        } else if self.ask_at.is_none() && !self.asked {
            self.ask_at = now.checked_add(after);
        }
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// The answer to the pending request; never resolves if there is none.
async fn answered(answer: &mut Option<Answer>) -> Outcome {
    let Some(answer) = answer else { return std::future::pending().await };
    match answer.wait_for(Option::is_some).await {
        Ok(outcome) => outcome.clone().unwrap_or(Outcome::Failed),
        // The task that sends the requests has ended.
        Err(_) => Outcome::Failed,
    }
}

/// Whether the store holds the object at this version or a later one, or its state as of a later version. `None` if the
/// versions cannot be compared.
fn has_reached(standing: &Standing, version: &ResourceVersion) -> Option<bool> {
    let stored = standing.stored.as_ref().map(|record| &record.head.resource_version);
    let by_object = stored.is_some_and(|stored| is_at_least(stored, version) == Some(true));
    if by_object { Some(true) } else { has_passed(standing, version) }
}

/// Whether the store holds the state of the key as of this version or a later one. `None` if the versions cannot be
/// compared.
fn has_passed(standing: &Standing, version: &ResourceVersion) -> Option<bool> {
    let by_key = standing.barrier.as_ref().is_some_and(|barrier| is_at_least(barrier, version) == Some(true));
    if by_key { Some(true) } else { is_at_least(&standing.version, version) }
}

fn is_at_least(at: &ResourceVersion, version: &ResourceVersion) -> Option<bool> {
    if at == version { Some(true) } else { at.compare(version).map(Ordering::is_ge) }
}

//! Which parts of the cluster an informer looks at: fixed, or namespaces that come and go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::informer::lookups::Desk;
use crate::key::ObjectKey;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::reflector::budget::Budget;
use crate::scope::{Scope, ScopeId};
use crate::status::StatusCell;

/// One part of the cluster that the informer looks at.
pub(crate) struct ScopeSlot {
    pub(crate) id: ScopeId,
    pub(crate) scope: Scope,
    pub(crate) status: Arc<StatusCell>,
    /// Rung when the scope is to be listed again.
    pub(crate) refresh: Arc<Notify>,
    /// Rung when it is to be listed because too many of its objects are waited for.
    pub(crate) relist: Arc<Notify>,
    /// Rung when there is reason to think that the server went back in time.
    pub(crate) doubt: Arc<Notify>,
    /// Where single objects are asked for.
    pub(crate) desk: Arc<Desk>,
    /// What may be spent on questions and refreshes.
    pub(crate) probes: Arc<Mutex<Budget>>,
    /// Set when its objects have left the cache, because it was removed.
    pub(crate) removed: watch::Sender<bool>,
}

/// All scopes at one moment, sorted.
pub(crate) type Slots = Arc<[Arc<ScopeSlot>]>;

/// The scopes as of now. What the store knows follows: the writer is told of every change, in order.
pub(crate) struct Scopes {
    /// Replaced as a whole, so that nobody holds the lock for long.
    slots: RwLock<Slots>,
    /// Those that were removed and whose objects have not left the cache yet.
    leaving: Mutex<Vec<Arc<ScopeSlot>>>,
    next_id: AtomicUsize,
}

impl Scopes {
    pub(crate) fn new(
        scopes: impl IntoIterator<Item = Scope>,
        metrics: &Metrics,
        settings: &Options,
    ) -> Self {
        let new = Self {
            slots: RwLock::new(Arc::new([])),
            leaving: Mutex::default(),
            next_id: AtomicUsize::new(0),
        };
        for scope in scopes {
            new.put(&new.new_slot(scope, metrics, settings));
        }
        new
    }

    pub(crate) fn now(&self) -> Slots {
        self.slots.read().clone()
    }

    pub(crate) fn find(&self, scope: &Scope) -> Option<Arc<ScopeSlot>> {
        let slots = self.slots.read();
        let place = slots.binary_search_by(|slot| slot.scope.cmp(scope)).ok()?;
        Some(slots[place].clone())
    }

    /// The scope that this key is in, if it is looked at.
    pub(crate) fn of_key(&self, key: &ObjectKey) -> Option<Arc<ScopeSlot>> {
        let by_namespace = || self.find(&Scope::Namespace(key.shared_namespace()?.clone()));
        self.find(&Scope::All).or_else(by_namespace)
    }

    /// The scope that this namespace is in, if it is looked at.
    pub(crate) fn of_namespace(&self, namespace: &str) -> Option<Arc<ScopeSlot>> {
        self.find(&Scope::All).or_else(|| self.find(&Scope::namespace(namespace)))
    }

    /// Whether this very slot is looked at, and not another one of the same namespace.
    pub(crate) fn has(&self, slot: &ScopeSlot) -> bool {
        self.find(&slot.scope).is_some_and(|now| now.id == slot.id)
    }

    /// A slot for a scope, which is not looked at before it is put there.
    pub(crate) fn new_slot(&self, scope: Scope, metrics: &Metrics, settings: &Options) -> Arc<ScopeSlot> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let status = Arc::new(StatusCell::new(scope.clone(), Instant::now()).with_metrics(metrics));
        let removed = watch::Sender::new(false);
        let probes = Budget::new(settings.request_burst, settings.request_interval);
        Arc::new(ScopeSlot {
            id,
            scope,
            status,
            refresh: Arc::default(),
            relist: Arc::default(),
            doubt: Arc::default(),
            desk: Arc::default(),
            probes: Arc::new(Mutex::new(probes)),
            removed,
        })
    }

    pub(crate) fn put(&self, slot: &Arc<ScopeSlot>) {
        let mut slots = self.slots.write();
        let place = slots.partition_point(|other| other.scope < slot.scope);
        *slots = slots[..place].iter().chain([slot]).chain(&slots[place..]).cloned().collect();
    }

    pub(crate) fn take(&self, scope: &Scope) -> Option<Arc<ScopeSlot>> {
        let taken = self.find(scope)?;
        let mut slots = self.slots.write();
        *slots = slots.iter().filter(|slot| slot.id != taken.id).cloned().collect();
        Some(taken)
    }

    /// A slot that was taken is being removed from the cache.
    pub(crate) fn leaves(&self, slot: &Arc<ScopeSlot>) {
        self.leaving.lock().push(slot.clone());
    }

    /// It is not removed after all.
    pub(crate) fn stays(&self, slot: &Arc<ScopeSlot>) {
        self.leaving.lock().retain(|leaving| leaving.id != slot.id);
        self.put(slot);
    }

    /// The objects of a slot have left the cache.
    pub(crate) fn left(&self, slot: &ScopeSlot) {
        self.leaving.lock().retain(|leaving| leaving.id != slot.id);
        slot.removed.send_replace(true);
    }

    /// The slots of a scope that are being removed from the cache.
    pub(crate) fn leaving(&self, scope: &Scope) -> Vec<Arc<ScopeSlot>> {
        self.leaving.lock().iter().filter(|slot| slot.scope == *scope).cloned().collect()
    }
}

//! The scopes of an informer, that is, the parts of the cluster that it watches: the whole cluster, or namespaces that
//! can be added and removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use informer_core::scope::{Scope, ScopeId};
use informer_wire::ObjectKey;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::informer::lookups::Desk;
use crate::metrics::Metrics;
use crate::reflector::budget::Budget;
use crate::reflector::newest::Newest;
use crate::source::Tuning;
use crate::status::StatusCell;

/// One part of the cluster that the informer watches.
pub(crate) struct ScopeSlot {
    pub(crate) id: ScopeId,
    pub(crate) scope: Scope,
    pub(crate) status: Arc<StatusCell>,
    /// Notified when the scope is to be listed again.
    pub(crate) refresh: Arc<Notify>,
    /// Notified when the scope is to be listed because callers wait for too many of its objects to request them one by
    /// one.
    pub(crate) relist: Arc<Notify>,
    /// The newest objects that the watch or a lookup has brought.
    pub(crate) newest: Arc<Mutex<Newest>>,
    /// Notified when there is reason to think that the server went back in time.
    pub(crate) doubt: Arc<Notify>,
    /// Takes the requests for single objects.
    pub(crate) desk: Arc<Desk>,
    /// The budget for requests for single objects and for refreshes.
    pub(crate) probes: Arc<Mutex<Budget>>,
    /// Set when the scope was removed and its objects have left the cache.
    pub(crate) removed: watch::Sender<bool>,
}

/// All scopes at one moment, sorted.
pub(crate) type Slots = Arc<[Arc<ScopeSlot>]>;

/// The current scopes. The store follows: every change is sent to its writer as a command, in order.
pub(crate) struct Scopes {
    /// Replaced as a whole, so that readers hold the lock only briefly.
    slots: RwLock<Slots>,
    /// Scopes that were removed and whose objects have not left the cache yet.
    leaving: Mutex<Vec<Arc<ScopeSlot>>>,
    next_id: AtomicUsize,
}

impl Scopes {
    pub(crate) fn new(scopes: impl IntoIterator<Item = Scope>, metrics: &Metrics, settings: &Tuning) -> Self {
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

    /// The scope that this key is in, if it is watched.
    pub(crate) fn of_key(&self, key: &ObjectKey) -> Option<Arc<ScopeSlot>> {
        let by_namespace =
            || self.find(&Scope::Namespace(informer_wire::key::shared_namespace(key)?.clone()));
        self.find(&Scope::All).or_else(by_namespace)
    }

    /// The scope that this namespace is in, if it is watched.
    pub(crate) fn of_namespace(&self, namespace: &str) -> Option<Arc<ScopeSlot>> {
        self.find(&Scope::All).or_else(|| self.find(&Scope::namespace(namespace)))
    }

    /// Whether this very slot is watched, and not a later one of the same namespace.
    pub(crate) fn has(&self, slot: &ScopeSlot) -> bool {
        self.find(&slot.scope).is_some_and(|now| now.id == slot.id)
    }

    /// A new slot for a scope. The scope is not watched before the slot is added.
    pub(crate) fn new_slot(&self, scope: Scope, metrics: &Metrics, settings: &Tuning) -> Arc<ScopeSlot> {
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
            newest: Arc::default(),
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

    /// The objects of this slot are being removed from the cache.
    pub(crate) fn leaves(&self, slot: &Arc<ScopeSlot>) {
        self.leaving.lock().push(slot.clone());
    }

    /// The slot is not removed after all.
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

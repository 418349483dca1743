//! What the tests of several parts of the reflector share.

use std::sync::Arc;
use std::time::Duration;

use informer_core::scope::Scope;
use informer_wire::ObjectKey;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::Target;
use super::budget::Budget;
use super::check::Witness;
use crate::kind::KindInfo;
use crate::source::ListWatch;
use crate::status::StatusCell;

/// All objects of a kind.
pub(super) fn target(kind: KindInfo) -> Target {
    Target {
        kind,
        id: 0,
        scope: Scope::All,
        label_selector: None,
        field_selector: None,
        metadata_only: false,
        keep_managed_fields: false,
        sensitive: false,
    }
}

/// A scope with all objects of a kind, of which `key` is held at `version`.
pub(super) fn witness(source: Arc<dyn ListWatch>, kind: KindInfo, key: &ObjectKey, version: &str) -> Witness {
    let status = Arc::new(StatusCell::new(Scope::All, Instant::now()));
    let probes = Arc::new(Mutex::new(Budget::new(10, Duration::from_secs(1))));
    let witness = Witness::new(source, target(kind), status, probes, Arc::default(), Arc::default());
    witness.newest(|newest| newest.put(key, &"u".into(), &version.into()));
    witness
}

//! Records made by hand, and an ingest, for unit tests of the pipeline.

use std::sync::Arc;
use std::time::Instant;

use informer_wire::KindInfo;
use informer_wire::{ObjectKey, ResourceVersion, Uid};
use parking_lot::{Mutex, MutexGuard};

pub use crate::object::packed::buffers_hold;
pub use informer_wire::testing::benchmark_pod;

use crate::cause::Cause;
use crate::host::Host;
use crate::object::decoded::DecodedCache;
use crate::object::head::Head;
use crate::object::ingest::{Ingest, IngestOptions};
use crate::object::label_set::LabelSet;
use crate::object::origin::Origin;
use crate::object::packed::Body;
use crate::object::record::Record;

/// Remembers which failures it was told of.
#[derive(Default)]
pub struct HeardCauses(Mutex<Vec<Cause>>);

impl HeardCauses {
    /// What it was told, in order.
    pub fn heard(&self) -> MutexGuard<'_, Vec<Cause>> {
        self.0.lock()
    }
}

impl Host for HeardCauses {
    #[allow(clippy::disallowed_methods, reason = "tests have a clock")]
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn failed(&self, cause: Cause) {
        self.0.lock().push(cause);
    }

    fn decodes_again(&self) {}
}

/// What the records of a test share.
pub fn origin() -> Arc<Origin> {
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true);
    Arc::new(Origin::new(kind, false, DecodedCache::new(4 << 20), Arc::<HeardCauses>::default()))
}

/// Takes objects in as ConfigMaps.
pub fn config_maps() -> Ingest {
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true);
    Ingest::new(IngestOptions::new(kind, Arc::<HeardCauses>::default()))
}

/// A record of a ConfigMap: `record(&origin, "ns/name", "uid", "7")`.
pub fn record(origin: &Arc<Origin>, key: &str, uid: &str, version: &str) -> Arc<Record> {
    record_with(origin, key, uid, version, &[], "")
}

/// The same with labels, and a text that makes the content differ.
pub fn record_with(
    origin: &Arc<Origin>,
    key: &str,
    uid: &str,
    version: &str,
    labels: &[(&str, &str)],
    text: &str,
) -> Arc<Record> {
    let key: ObjectKey = key.parse().expect("a key");
    let labels_json: serde_json::Map<_, _> =
        labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
    let json = serde_json::json!({
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "namespace": key.namespace(), "name": key.name(), "uid": uid, "resourceVersion": version,
            "labels": labels_json,
        },
        "data": { "text": text },
    });
    let head = Head {
        key,
        uid: Uid::new(uid),
        resource_version: ResourceVersion::new(version),
        generation: None.into(),
        created: None.into(),
        deleted: None.into(),
        labels: LabelSet::from_pairs(
            labels.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
        ),
        owners: Arc::new([]),
        finalizers: Arc::new([]),
    };
    Record::new(head, Body::Plain(json.to_string().into_bytes().into()), origin)
}

/// The seeds of a random test that is to try so many where `INFORMER_SEEDS` is 1,000. By itself it is 100,
/// which takes seconds.
pub fn seeds(of_a_thousand: u64) -> std::ops::Range<u64> {
    let seeds =
        std::env::var("INFORMER_SEEDS").ok().and_then(|seeds| seeds.parse::<u64>().ok()).unwrap_or(100);
    0..(of_a_thousand * seeds / 1_000).max(1)
}

mod cache;
mod model;

use std::sync::Barrier;
use std::sync::atomic::AtomicUsize;

use informer_wire::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;
use serde::Deserialize;

use super::*;
use crate::object::head::Head;
use crate::object::origin::Origin;
use crate::object::packed::Body;
use crate::object::testing::{origin, record};

/// What the records of an informer share that has this cache.
fn with_cache(cache: &DecodedCache) -> Arc<Origin> {
    let base = origin();
    Arc::new(Origin::new(base.kind.clone(), false, cache.clone(), base.host.clone()))
}

fn without_cache() -> Arc<Origin> {
    with_cache(&DecodedCache::new(0))
}

#[test]
fn an_unused_slot_is_small() {
    assert_eq!(size_of::<DecodedSlot>(), 16);
}

#[test]
fn one_decode_per_version_and_type_while_held() {
    let origin = without_cache();
    let record = record(&origin, "a/b", "u", "1");
    let first = get::<ConfigMap>(&record).unwrap();
    assert!(Arc::ptr_eq(&first, &get::<ConfigMap>(&record).unwrap()));
    let value = get::<serde_json::Value>(&record).unwrap();
    assert_eq!(value["metadata"]["name"], "b");
    assert!(Arc::ptr_eq(&first, &get::<ConfigMap>(&record).unwrap()), "types do not push each other out");
    assert_eq!((origin.decodes.hits(), origin.decodes.misses()), (2, 2));
    drop((first, value));
    get::<ConfigMap>(&record).unwrap();
    assert_eq!(origin.decodes.misses(), 3, "without a cache nothing is kept");
}

#[test]
fn dead_forms_are_cleared_away() {
    let origin = without_cache();
    let records: Vec<_> = (0..1_000).map(|i| record(&origin, &format!("a/{i}"), "u", "1")).collect();
    for record in &records {
        get::<ConfigMap>(record).unwrap();
    }
    let left = records.iter().filter(|record| record.decoded.is_lent_or_kept()).count();
    assert!(left <= 64, "{left} dead forms still occupy memory");
}

#[test]
fn forms_that_were_all_held_at_once_are_cleared_away_too() {
    let origin = without_cache();
    let records: Vec<_> = (0..10_000).map(|i| record(&origin, &format!("a/{i}"), "u", "1")).collect();
    let held: Vec<_> = records.iter().map(|record| get::<ConfigMap>(record).unwrap()).collect();
    drop(held);
    let others: Vec<_> = (0..5_100).map(|i| record(&origin, &format!("b/{i}"), "u", "1")).collect();
    for record in &others {
        get::<ConfigMap>(record).unwrap();
    }
    let left = records.iter().filter(|record| record.decoded.is_lent_or_kept()).count();
    assert!(left <= 100, "{left} dead forms still occupy memory");
}

#[test]
fn a_pinned_form_is_found_by_its_type() {
    let origin = without_cache();
    let plain = record(&origin, "a/b", "u", "1");
    let pinned: Arc<ConfigMap> = Arc::default();
    let head = plain.head.clone();
    let record =
        Record::with_slot(head, Body::pack(b"{}", None), &origin, DecodedSlot::pinned(pinned.clone()));
    assert!(Arc::ptr_eq(&get::<ConfigMap>(&record).unwrap(), &pinned));
    assert_eq!(*get::<serde_json::Value>(&record).unwrap(), serde_json::json!({}));
}

#[test]
fn threads_that_ask_at_once_share_one() {
    let origin = origin();
    for round in 0..50 {
        let record = record(&origin, &format!("a/{round}"), "u", "1");
        let barrier = Barrier::new(4);
        let forms: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        get::<ConfigMap>(&record).unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(forms.iter().all(|form| Arc::ptr_eq(form, &forms[0])));
    }
}

#[derive(Debug)]
struct Panics;

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("on purpose")
    }
}

#[test]
fn a_panic_while_decoding_is_an_error() {
    let origin = origin();
    let record = record(&origin, "a/b", "u", "1");
    let error = get::<Panics>(&record).unwrap_err();
    assert!(error.contains("on purpose"), "{error}");
    assert!(get::<ConfigMap>(&record).is_ok());
}

/// Asks for another object while it is dropped: deadlocks if that happens under a lock.
struct Asks(Arc<Record>);

static DROPPED: AtomicUsize = AtomicUsize::new(0);

impl Drop for Asks {
    fn drop(&mut self) {
        get::<serde_json::Value>(&self.0).unwrap();
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn values_are_dropped_without_a_lock() {
    let cache = DecodedCache::new(8_000);
    let origin = with_cache(&cache);
    let records: Vec<_> = (0..4).map(|i| record(&origin, &format!("a/{i}"), "u", "1")).collect();
    for i in 0..4 {
        // Each fills the part that it comes to, so it pushes the one before out.
        cache.offer(&records[i], Arc::new(Asks(records[3 - i].clone())), 2_000);
    }
    assert!(DROPPED.load(Ordering::Relaxed) >= 2);
}

#[test]
fn repeated_decoding_is_noticed_once() {
    let origin = without_cache();
    let records: Vec<_> = (0..10).map(|i| record(&origin, &format!("a/{i}"), "u", "1")).collect();
    for _ in 0..99 {
        records.iter().for_each(|record| drop(get::<serde_json::Value>(record).unwrap()));
    }
    assert!(!origin.decodes.has_hinted());
    for _ in 0..5 {
        records.iter().for_each(|record| drop(get::<serde_json::Value>(record).unwrap()));
    }
    assert!(origin.decodes.has_hinted());
}

#[test]
fn sensitive_errors_do_not_quote() {
    let base = origin();
    let origin = Arc::new(Origin::new(base.kind.clone(), true, DecodedCache::default(), base.host.clone()));
    let head = Head { key: ObjectKey::namespaced("a", "b"), ..record(&base, "a/b", "u", "1").head.clone() };
    let body = Body::pack(br#"{"metadata":{"name":"b"},"data":"s3cret"}"#, None);
    let record = Record::new(head, body, &origin);
    let error = get::<ConfigMap>(&record).unwrap_err();
    assert!(error.contains("column") && !error.contains("s3cret"), "{error}");
}

use super::*;
use crate::object::packed::body::Body;
use crate::object::testing::{benchmark_pod, origin};

/// A document that so many objects are changes of.
fn base(origin: &Arc<Origin>, pod: u64, sharers: usize) -> Vec<Arc<Base>> {
    let (_, base) = Body::pack(&benchmark_pod(pod), None).shared(origin);
    vec![base.expect("it is packed"); sharers]
}

/// Whether it is unpacked after having been read so often.
fn read(bases: &[Arc<Base>], pod: u64, times: usize) -> bool {
    for _ in 0..times {
        assert!(bases[0].with_json(|json| json == Some(&*benchmark_pod(pod))));
    }
    bases[0].plain.lock().is_some()
}

#[test]
fn what_many_share_stays_unpacked_and_is_counted() {
    let origin = origin();
    origin.alive_bytes.store(1 << 20, Ordering::Relaxed);
    let (alone, shared) = (base(&origin, 0, SHARED - 1), base(&origin, 40, SHARED));
    assert!(!read(&alone, 0, 100) && read(&shared, 40, CHOICE));
    assert_eq!(origin.bases.bytes(), benchmark_pod(40).len());
    drop(shared);
    assert_eq!(origin.bases.bytes(), 0, "it goes with its objects");
    drop(alone);
    assert_eq!(origin.alive_bytes.load(Ordering::Relaxed), 1 << 20);
}

#[test]
fn no_more_stay_unpacked_than_there_is_room_for() {
    let origin = origin();
    let limit = 40_000;
    origin.alive_bytes.store(limit * PART, Ordering::Relaxed);
    let bases: Vec<_> = (0..20).map(|app| base(&origin, app * 40, SHARED)).collect();
    origin.alive_bytes.store(limit * PART, Ordering::Relaxed);
    for _ in 0..5 {
        for (app, base) in (0..).zip(&bases) {
            read(base, app * 40, 3);
            assert!(origin.bases.bytes() <= limit);
        }
    }
    assert!(origin.bases.bytes() > limit / 2);
    let bytes: usize =
        bases.iter().map(|base| base[0].plain.lock().as_ref().map_or(0, |json| json.len())).sum();
    assert_eq!(bytes, origin.bases.bytes());
    // Without objects there is no room, neither for those that are unpacked already nor for another.
    origin.alive_bytes.store(0, Ordering::Relaxed);
    for (app, base) in (0..).zip(&bases) {
        assert!(!read(base, app * 40, 3));
        assert_eq!(origin.bases.bytes(), 0);
    }
    assert!(!read(&base(&origin, 4_000, SHARED), 4_000, 100));
}

#[test]
fn dropped_documents_are_not_remembered_for_ever() {
    let origin = origin();
    for app in 0..1_000 {
        origin.alive_bytes.store(64 << 20, Ordering::Relaxed);
        assert!(read(&base(&origin, app % 10 * 40, SHARED), app % 10 * 40, CHOICE));
    }
    assert!(origin.bases.bases.lock().len() <= 2 * SMALL);
    assert_eq!(origin.bases.bytes(), 0);
}

#[test]
fn many_threads_read_the_same_documents() {
    let origin = origin();
    origin.alive_bytes.store(60_000, Ordering::Relaxed);
    let bases: Vec<_> = (0..8).map(|app| base(&origin, app * 40, SHARED)).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let bases = &bases;
            scope.spawn(move || {
                for round in 0..400 {
                    let app = (round * (thread + 1)) % 8;
                    read(&bases[usize::try_from(app).expect("a place")], app * 40, 1);
                }
            });
        }
    });
    drop(bases);
    assert_eq!(origin.bases.bytes(), 0);
}

#[test]
fn what_is_much_smaller_does_not_keep_a_large_document() {
    let origin = origin();
    let (json, base) = (benchmark_pod(0), base(&origin, 0, 1));
    let by_itself = base[0].size();
    assert_eq!(base[0].limit(&json, 10), Some(10));
    assert!(base[0].limit(&json, usize::MAX).expect("a limit") < 2 * by_itself);
    assert!(base[0].limit(&json[..json.len() / 2], 10).is_some());
    assert_eq!(base[0].limit(&json[..json.len() / 2 - 1], 10), None);
}

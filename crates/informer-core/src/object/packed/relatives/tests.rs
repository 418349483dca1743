use hashbrown::HashMap;
use informer_wire::KindInfo;
use informer_wire::ObjectKey;
use serde_json::{Value, json};

use super::*;
use crate::object::ingest::{Ingest, IngestOptions};
use crate::object::known::Known;
use crate::object::record::Record;
use crate::object::testing::{HeardCauses, benchmark_pod, origin};

struct Rig {
    relatives: Relatives,
    packer: Packer,
    origin: Arc<Origin>,
}

impl Rig {
    fn new() -> Self {
        Self { relatives: Relatives::default(), packer: Packer::new(false), origin: origin() }
    }

    fn pack(&self, json: &[u8], before: Option<&Body>) -> Body {
        let body = self.relatives.pack(json, before, None, &self.packer, &self.origin);
        assert_eq!(body.json_len(), json.len());
        body.with_json(|read| assert_eq!(read, json));
        body
    }

    /// What the documents take that are shared. The records that would count the rest are not made here.
    fn shared(&self) -> usize {
        self.origin.alive_bytes.load(Ordering::Relaxed)
    }
}

fn is_edited(body: &Body) -> bool {
    matches!(body, Body::Edited { .. })
}

/// Whether it is the first of its document.
fn is_by_itself(body: &Body) -> bool {
    !is_edited(body) || body.size() == 0
}

/// A pod with another resource version.
fn version(json: &[u8], version: u32) -> Vec<u8> {
    let text = String::from_utf8(json.to_vec()).expect("text");
    let start = text.find("\"resourceVersion\":\"").expect("a version") + 19;
    let end = start + text[start..].find('"').expect("its end");
    format!("{}{version}{}", &text[..start], &text[end..]).into_bytes()
}

#[test]
fn pods_of_one_app_share_a_document() {
    let rig = Rig::new();
    let pods: Vec<Body> = (0..20).map(|number| rig.pack(&benchmark_pod(number), None)).collect();
    assert!(pods.iter().all(is_edited) && pods[0].size() == 0);
    assert_eq!(rig.shared(), rig.packer.pack(&benchmark_pod(0)).size(), "once");
    assert!(pods.iter().all(|pod| pod.held() == rig.shared() + pod.size()));
    // The document stays as long as somebody needs it.
    let last = pods.into_iter().next_back().expect("one");
    rig.relatives.last.lock().clear();
    assert!(rig.shared() > 0);
    last.with_json(|read| assert_eq!(read, benchmark_pod(19)));
    drop(last);
    assert_eq!(rig.shared(), 0);
}

#[test]
fn the_next_version_is_a_change_of_the_same_document() {
    let rig = Rig::new();
    let mut body = rig.pack(&benchmark_pod(0), None);
    for number in 1..100 {
        body = rig.pack(&version(&benchmark_pod(0), number), Some(&body));
        assert!(is_edited(&body) && body.size() < 20, "{}", body.size());
    }
    let own = rig.packer.pack(&benchmark_pod(0));
    assert_eq!(rig.shared(), own.size());
    // All that wait to be stored share it.
    let first = rig.pack(&benchmark_pod(0), Some(&body));
    let queued: Vec<Body> =
        (0..50).map(|number| rig.pack(&version(&benchmark_pod(0), number), Some(&first))).collect();
    assert_eq!(rig.shared(), own.size());
    // One that has become quite another begins anew.
    let other = rig.pack(&benchmark_pod(3_000), Some(&body));
    assert!(is_by_itself(&other) && !is_by_itself(&body));
    drop((body, first, queued));
    rig.relatives.last.lock().clear();
    assert_eq!(rig.shared(), other.held());
}

#[test]
fn the_same_content_is_the_same_however_it_is_stored() {
    let rig = Rig::new();
    let (json, other) = (version(&benchmark_pod(1), 7), version(&benchmark_pod(1), 8));
    let apart = rig.packer.pack(&json);
    let first = rig.pack(&benchmark_pod(0), None);
    let sibling = rig.pack(&json, None);
    let next = rig.pack(&json, Some(&first));
    let plain = Body::Plain(json.clone().into());
    let same = [&apart, &sibling, &next, &plain];
    let different = [
        rig.packer.pack(&other),
        rig.pack(&other, None),
        rig.pack(&other, Some(&first)),
        Body::Plain(other.into()),
    ];
    for one in same {
        assert!(same.iter().all(|two| one.same_json(two)));
        assert!(different.iter().all(|two| !one.same_json(two) && !two.same_json(one)));
    }
}

#[test]
fn small_sensitive_and_unpackable_objects_are_stored_as_they_were() {
    let rig = Rig::new();
    for _ in 0..3 {
        assert!(!is_edited(&rig.pack(br#"{"small":"object"}"#, None)));
    }
    let mut random = fastrand::Rng::with_seed(1);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(4_000).collect();
    for _ in 0..3 {
        assert!(matches!(rig.pack(&noise, None), Body::Plain(_)));
        assert!(matches!(rig.pack(&noise, Some(&Body::Plain(noise.clone().into()))), Body::Plain(_)));
    }
    let secret = Rig { packer: Packer::new(true), ..Rig::new() };
    let origin = Arc::new(Origin::new(
        KindInfo::new("", "v1", "Secret", "secrets"),
        true,
        secret.origin.cache.clone(),
        secret.origin.host.clone(),
    ));
    for _ in 0..3 {
        let body = secret.relatives.pack(&benchmark_pod(0), None, None, &secret.packer, &origin);
        assert!(matches!(body, Body::Plain(_)));
    }
    assert!(secret.relatives.last.lock().is_empty(), "nothing of it is kept elsewhere");
}

#[test]
fn what_has_shrunk_and_what_is_huge_shares_nothing() {
    let rig = Rig::new();
    let with = |length: usize| {
        format!(r#"{{"metadata":{{"name":"a"}},"data":{{"k":"{}"}}}}"#, "x y ".repeat(length)).into_bytes()
    };
    let large = rig.pack(&with(100_000), None);
    assert!(rig.relatives.last.lock().is_empty(), "not kept to be compared");
    let small = rig.pack(&with(1_000), Some(&large));
    assert!(is_by_itself(&small));
    drop(large);
    assert_eq!(rig.shared(), small.held(), "the large one has gone");
    (0..100).for_each(|_| drop(rig.pack(&with(100_000), None)));
    assert!(rig.relatives.last.lock().is_empty());
}

/// So much that cannot be packed, and so much that packs to next to nothing.
fn halves(noise: usize, text: usize, version: u32) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(3);
    let noise: String = std::iter::repeat_with(|| random.alphanumeric()).take(noise).collect();
    let text: String = (0..text / 32).map(|_| "the same again, and once more! ").collect();
    format!(r#"{{"metadata":{{"name":"a","resourceVersion":"{version}"}},"data":{{"blob":"{noise}","text":"{text}"}}}}"#)
        .into_bytes()
}

#[test]
fn what_drops_the_part_that_does_not_pack_lets_its_large_document_go() {
    // More than a quarter of the document is dropped, and less.
    for noise in [29_000, 9_000] {
        let rig = Rig::new();
        let first = rig.pack(&halves(noise, 30_000, 1), None);
        assert!(rig.shared() > noise / 2);
        let own = rig.packer.pack(&halves(0, 30_000, 2)).size();
        let mut next = rig.pack(&halves(0, 30_000, 2), Some(&first));
        assert!(next.held() <= 2 * own, "{} of {own}", next.held());
        drop(first);
        for version in 3..10 {
            next = rig.pack(&halves(0, 30_000, version), Some(&next));
            assert!(next.held() <= 2 * own + 64, "{} of {own}", next.held());
        }
        rig.relatives.last.lock().clear();
        assert!(rig.shared() <= 2 * own, "{} of {own}", rig.shared());
    }
}

/// Parts that cannot be packed, each as long as a token, in a text that packs to next to nothing.
fn pieces(filled: bool, version: u32) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(3);
    let mut data = String::new();
    for number in 0..100 {
        let noise: String = std::iter::repeat_with(|| random.alphanumeric()).take(120).collect();
        let noise = if filled { noise } else { String::new() };
        let text = "the same again, and once more, as in all the others, of which there are very many, and so on and so forth ";
        data.push_str(&format!(r#""{number:03}":"{noise}","{number:03}-text":"{text}{text}{text}{text}","#));
    }
    format!(r#"{{"metadata":{{"name":"a","resourceVersion":"{version}"}},"data":{{{data}"last":""}}}}"#)
        .into_bytes()
}

#[test]
fn what_drops_many_small_parts_that_do_not_pack_lets_its_large_document_go() {
    let rig = Rig::new();
    let first = rig.pack(&pieces(true, 1), None);
    let (large, own) = (rig.shared(), rig.packer.pack(&pieces(false, 2)).size());
    assert!(large > 8_000 && own < large / 5, "{own} of {large}");
    let mut next = rig.pack(&pieces(false, 2), Some(&first));
    assert!(next.held() <= 2 * own, "{} of {own}", next.held());
    drop(first);
    for version in 3..10 {
        next = rig.pack(&pieces(false, version), Some(&next));
        assert!(next.held() <= 2 * own + 64, "{} of {own}", next.held());
    }
    // A neighbour, in a list.
    let neighbours = Rig::new();
    drop(neighbours.pack(&pieces(true, 1), None));
    let neighbour = neighbours.pack(&pieces(false, 2), None);
    assert!(neighbour.held() <= 2 * own, "{} of {own}", neighbour.held());
    [&rig, &neighbours].iter().for_each(|rig| rig.relatives.last.lock().clear());
    assert!(rig.shared() <= 2 * own && neighbours.shared() <= 2 * own);
}

#[test]
fn what_drops_a_part_that_packs_well_keeps_sharing() {
    let rig = Rig::new();
    let first = rig.pack(&halves(5_000, 30_000, 1), None);
    let next = rig.pack(&halves(5_000, 20_000, 2), Some(&first));
    assert!(is_edited(&next) && next.size() > 0 && next.size() < 100);
    assert_eq!(rig.shared(), first.held(), "one document for both");
}

#[test]
fn strangers_are_rarely_compared_and_kin_is_found_again() {
    let rig = Rig::new();
    // One pod of each app.
    let strangers: Vec<Vec<u8>> = (0..100).map(|app| benchmark_pod(app * 40)).collect();
    let edited = strangers.iter().filter(|json| !is_by_itself(&rig.pack(json, None))).count();
    assert_eq!(edited, 0);
    let pods: Vec<Body> = (0..40).map(|number| rig.pack(&benchmark_pod(number), None)).collect();
    let edited = pods.iter().filter(|body| !is_by_itself(body)).count();
    assert!(edited >= 40 - 2 * STRANGERS as usize && !is_by_itself(&pods[39]), "{edited}");
}

/// How many of these pods are stored as changes of another.
fn shared_of(numbers: impl Iterator<Item = u64>) -> usize {
    let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
    let ingest = Ingest::new(IngestOptions::new(kind, Arc::<HeardCauses>::default()));
    let records: Vec<_> = numbers
        .map(|number| ingest.take(&benchmark_pod(number), &Stored::default()).expect("a pod"))
        .collect();
    records.iter().filter(|record| !is_by_itself(&record.body)).count()
}

#[test]
fn pods_of_several_apps_that_are_created_in_turns_share_documents() {
    assert!(shared_of((0..100).map(|number| number % 5 * 40 + number / 5)) >= 95);
    // After many of which each was the only one of its app, and with more apps than are remembered.
    let alone = (100..200).map(|app| app * 40);
    assert!(shared_of(alone.chain((0..100).map(|number| number % 5 * 40 + number / 5))) >= 95);
    shared_of((0..100).map(|number| number % 20 * 40 + number / 20));
}

#[test]
fn what_is_kept_to_be_compared_takes_a_bounded_part_of_memory() {
    let rig = Rig::new();
    let mut most = 0;
    for number in 0..50 {
        let mut random = fastrand::Rng::with_seed(number);
        let noise = std::iter::repeat_with(|| random.alphanumeric() as u8).take(3_000);
        let text = vec![b' '; if number < 25 { 0 } else { 40_000 }];
        let json: Vec<u8> = noise.chain(text).collect();
        let uid = Uid::new(&number.to_string());
        rig.relatives.pack(&json, None, Some(&uid), &rig.packer, &rig.origin);
        let last = rig.relatives.last.lock();
        assert!(last.len() <= CANDIDATES && last.iter().map(|last| last.json.len()).sum::<usize>() <= MOST);
        most = most.max(last.len());
    }
    assert_eq!((most, rig.relatives.last.lock().len()), (CANDIDATES, 1));
}

#[test]
fn many_threads_take_objects_in() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let rig = &rig;
            scope.spawn(move || {
                let mut before = None;
                for number in 0..200 {
                    let json = version(&benchmark_pod(thread * 10 + u64::from(number % 10)), number);
                    before = Some(rig.pack(&json, before.as_ref().filter(|_| number % 3 > 0)));
                }
            });
        }
    });
    rig.relatives.last.lock().clear();
    assert_eq!(rig.shared(), 0);
}

/// A store of a test.
#[derive(Default)]
struct Stored(HashMap<ObjectKey, Arc<Record>>);

impl Known for Stored {
    fn stored(&self, key: &ObjectKey) -> Option<Arc<Record>> {
        self.0.get(key).cloned()
    }
}

/// A pod of one of a few apps, with parts that come, go and change their length.
fn some_pod(random: &mut fastrand::Rng, number: u64, version: u32) -> Vec<u8> {
    let mut pod: Value = serde_json::from_slice(&benchmark_pod(number)).expect("JSON");
    (pod["kind"], pod["apiVersion"]) = ("Pod".into(), "v1".into());
    pod["metadata"]["resourceVersion"] = version.to_string().into();
    pod["metadata"].as_object_mut().expect("metadata").remove("managedFields");
    for _ in 0..random.usize(..6) {
        let text = "é\\\"x".repeat(random.usize(..40));
        let (name, place) = (format!("key-{}", random.u8(..5)), random.usize(..3));
        match random.u8(..6) {
            0 => pod["metadata"]["annotations"][name] = text.into(),
            1 => pod["metadata"]["labels"][name] = random.u32(..).to_string().into(),
            2 => pod["status"]["podIP"] = format!("10.{}.{}.1", random.u8(..), random.u8(..)).into(),
            3 => pod["status"]["conditions"].as_array_mut().expect("conditions").truncate(place),
            4 => {
                let conditions = pod["status"]["conditions"].as_array_mut().expect("conditions");
                conditions.insert(place.min(conditions.len()), json!({ "type": name, "message": text }));
            }
            _ => pod["spec"]["containers"][0]["env"] = json!([{ "name": name, "value": text }]),
        }
    }
    pod.to_string().into_bytes()
}

/// Whatever comes, in whatever order: each version reads as it was sent, as long as somebody holds it, and in the end nothing is left.
#[test]
fn any_history_of_objects_reads_as_it_was_sent() {
    for seed in 0..6 {
        let mut random = fastrand::Rng::with_seed(seed);
        let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
        let ingest = Ingest::new(IngestOptions::new(kind, Arc::<HeardCauses>::default()));
        let (mut stored, mut held) = (Stored::default(), Vec::<(Arc<Record>, Vec<u8>)>::new());
        let mut edited = 0;
        for version in 0..600 {
            // Lists go by number, updates do not.
            let number = if version < 120 { u64::from(version) } else { random.u64(..120) };
            let json = some_pod(&mut random, number, version);
            let record = ingest.take(&json, &stored).expect("a pod");
            edited += usize::from(!is_by_itself(&record.body));
            match random.u8(..8) {
                0 => drop(stored.0.remove(record.key())),
                _ => drop(stored.0.insert(record.key().clone(), record.clone())),
            }
            held.push((record, json));
            if held.len() > 50 {
                held.swap_remove(random.usize(..held.len()));
            }
            let (record, json) = &held[random.usize(..held.len())];
            assert!(record.body.with_json(|read| read == json), "{record:?}");
        }
        assert!((150..500).contains(&edited), "both kinds: {edited}");
        assert!(held.iter().all(|(record, json)| record.body.with_json(|read| read == json)));
        drop((held, stored));
        let origin = ingest.origin().clone();
        drop(ingest);
        assert_eq!((origin.alive_bytes.load(Ordering::Relaxed), origin.bases.bytes()), (0, 0));
    }
}

use std::time::Instant;

use informer_wire::KindInfo;

use super::*;
use crate::object::ingest::{Ingest, IngestOptions};
use crate::object::packed::trainer::train;
use crate::object::record::Record;
use crate::object::testing::{HeardCauses, benchmark_pod};

fn json(i: usize) -> Vec<u8> {
    format!(
        "{{\"name\":\"object-{i}\",\"spec\":{{\"containers\":[{{\"image\":\"registry/{}\"}}]}}}}",
        i * 7919
    )
    .into_bytes()
}

fn dictionary_of(body: &Body) -> Option<*const Dictionary> {
    body.dictionary().map(Arc::as_ptr)
}

/// After having had a look at it.
fn pack(packer: &Packer, json: &[u8], alive: usize) -> Body {
    packer.look_at(json, alive);
    packer.pack(json)
}

#[test]
fn trains_again_while_the_first_list_lasts_and_not_after() {
    let packer = Packer::new(false);
    let mut dictionaries = Vec::new();
    for i in 1..=TRAIN_AT[1] + 100 {
        let before = packer.dictionary();
        let body = pack(&packer, &json(i), 0);
        packer.settle();
        body.with_json(|read| assert_eq!(read, json(i)));
        let now = packer.dictionary();
        assert_eq!(now.is_some(), i >= FIRST_AT, "{i}");
        if now.as_ref().map(Arc::as_ptr) != before.as_ref().map(Arc::as_ptr) {
            assert!(i == FIRST_AT || TRAIN_AT.contains(&i), "{i}");
            dictionaries.extend(now);
        }
        if i > FIRST_AT && before.is_some() && dictionary_of(&body).is_some() {
            let used = dictionary_of(&body);
            assert!(
                dictionaries.iter().rev().take(2).any(|dictionary| Some(Arc::as_ptr(dictionary)) == used)
            );
        }
    }
    assert_eq!(dictionaries.len(), 3);
    assert!(!packer.shared.sampling.load(Ordering::Relaxed) && packer.shared.sampler.lock().kept.is_empty());
    packer.first_list_done();
    assert_eq!(packer.shared.sampler.lock().seen, TRAIN_AT[1]);
}

#[test]
fn a_training_that_is_due_during_another_is_made_up_for() {
    let packer = Packer::new(false);
    let finish = packer.shared.slot.occupy();
    (0..TRAIN_AT[0] + 50).for_each(|i| drop(pack(&packer, &json(i), 0)));
    let first = packer.dictionary().unwrap();
    finish();
    pack(&packer, &json(0), 0);
    packer.settle();
    assert!(!Arc::ptr_eq(&first, &packer.dictionary().unwrap()), "trained");
}

#[test]
fn old_bodies_keep_their_dictionary() {
    let packer = Packer::new(false);
    let bodies: Vec<Body> = (0..2_000).map(|i| pack(&packer, &json(i), 0)).collect();
    drop(packer);
    for (i, body) in bodies.iter().enumerate() {
        body.with_json(|read| assert_eq!(read, json(i)));
    }
    assert!(bodies[0].same_json(&Body::pack(&json(0), None)));
}

#[test]
fn a_short_first_list_is_made_up_for_once_there_are_many_objects() {
    let packer = Packer::new(false);
    (0..FIRST_AT - 1).for_each(|i| drop(pack(&packer, &json(i), i)));
    packer.first_list_done();
    assert!(packer.dictionary().is_none(), "too few to pay for its tables");
    (0..1_000).for_each(|i| drop(pack(&packer, &json(i), WORTH_TRAINING - 1)));
    assert!(packer.dictionary().is_none() && packer.shared.sampler.lock().kept.is_empty(), "still too few");
    (0..SAMPLES - 1).for_each(|i| drop(pack(&packer, &json(i), WORTH_TRAINING)));
    assert!(packer.dictionary().is_none());
    pack(&packer, &json(SAMPLES), WORTH_TRAINING);
    packer.settle();
    assert!(packer.dictionary().is_some(), "trained");
    assert!(!packer.shared.sampling.load(Ordering::Relaxed) && packer.shared.sampler.lock().kept.is_empty());
}

#[test]
fn a_list_that_is_not_worth_training_keeps_its_first_dictionary_and_no_sample() {
    let packer = Packer::new(false);
    (0..WORTH_TRAINING - 1).for_each(|i| drop(pack(&packer, &json(i), i)));
    let first = packer.dictionary().unwrap();
    packer.first_list_done();
    packer.settle();
    assert!(Arc::ptr_eq(&first, &packer.dictionary().unwrap()));
    assert!(packer.shared.sampler.lock().kept.is_empty());
}

#[test]
fn a_list_that_ends_before_the_training_is_trained_on_at_its_end() {
    let packer = Packer::new(false);
    (0..TRAIN_AT[0] - 1).for_each(|i| drop(pack(&packer, &json(i), 0)));
    let first = packer.dictionary().unwrap();
    packer.first_list_done();
    packer.settle();
    assert!(!Arc::ptr_eq(&first, &packer.dictionary().unwrap()), "trained");
    assert!(!packer.shared.sampling.load(Ordering::Relaxed) && packer.shared.sampler.lock().kept.is_empty());
}

#[test]
fn sensitive_kinds_are_never_sampled_nor_packed() {
    let packer = Packer::new(true);
    (0..300).for_each(|i| assert!(matches!(pack(&packer, &json(i), 0), Body::Plain(_))));
    packer.first_list_done();
    assert!(packer.dictionary().is_none());
    assert_eq!(packer.shared.sampler.lock().seen, 0);
}

#[test]
fn what_cannot_be_trained_on_means_no_dictionary() {
    for sample in [&b""[..], b"{}", b"a"] {
        let packer = Packer::new(false);
        for _ in 0..300 {
            pack(&packer, sample, 0).with_json(|read| assert_eq!(read, sample));
        }
    }
    assert!(train(&[], 0).is_none() && train(&[Box::from(*b"a")], 1_000).is_none());
}

#[test]
fn large_objects_do_not_make_a_large_sample() {
    let packer = Packer::new(false);
    let large = vec![b'x'; 200_000];
    (0..150).for_each(|_| drop(pack(&packer, &large, 0)));
    assert!(packer.shared.sampler.lock().kept.iter().all(|sample| sample.len() == SAMPLE_BYTES));
}

/// What an allocation of this many bytes takes: a header, rounded up.
fn allocation(bytes: usize) -> usize {
    (bytes + 8).next_multiple_of(16).max(32)
}

/// The memory of one record by itself: the struct behind its `Arc`, its name, its packed body.
fn own_bytes(record: &Record) -> usize {
    allocation(16 + size_of::<Record>())
        + allocation(16 + record.head.key.name().len())
        + allocation(record.body.size())
}

#[test]
fn a_benchmark_pod_takes_at_most_1050_bytes() {
    // The first 150 of the benchmark's 500 apps: fewer to share the dictionary and the first, unsampled pods.
    const PODS: u64 = 6_000;
    /// A slot of the store's map, one of the map by key and one of the namespace index.
    const STORE: usize = 48;
    let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
    let ingest = Ingest::new(IngestOptions::new(kind, Arc::<HeardCauses>::default()));
    let documents: Vec<Vec<u8>> = (0..PODS).map(benchmark_pod).collect();
    let start = Instant::now();
    let records: Vec<Arc<Record>> =
        documents.iter().map(|json| ingest.record(ingest.scan(json).unwrap(), None).unwrap()).collect();
    let ingested = start.elapsed();
    let start = Instant::now();
    let unpacked: usize = records.iter().map(|record| record.body.with_json(<[u8]>::len)).sum();
    let unpack = start.elapsed();

    // Interned parts, each counted once: label sets with their texts, owners with theirs, and the slots of the tables.
    let mut seen = std::collections::HashSet::new();
    let mut shared = 0;
    let mut once = |address: *const u8, bytes: usize| {
        if seen.insert(address) {
            shared += allocation(16 + bytes) + 2 * 18;
        }
    };
    for record in &records {
        let head = &record.head;
        for (key, value) in head.labels.iter() {
            once(key.as_ptr(), key.len());
            once(value.as_ptr(), value.len());
        }
        once(head.labels.shared().as_ptr().cast(), size_of_val(&**head.labels.shared()));
        once(head.owners.as_ptr().cast(), size_of_val(&*head.owners));
        for owner in head.owners.iter() {
            once(owner.name.as_ptr(), owner.name.len());
        }
    }
    let own: usize = records.iter().map(|record| own_bytes(record)).sum();
    let (own, shared) = (own / records.len(), shared / records.len());
    // All dictionaries that bodies still hold, not only the newest.
    let dictionaries: std::collections::HashSet<_> =
        records.iter().filter_map(|record| dictionary_of(&record.body)).collect();
    let dictionary = dictionaries.len() * ingest.dictionary_size() / records.len();
    let body: usize = records.iter().map(|record| record.body.size()).sum::<usize>() / records.len();
    let sent: usize = documents.iter().map(Vec::len).sum::<usize>() / documents.len();
    // What is counted besides the bodies are documents that several are changes of.
    let alive: usize = ingest.origin().alive_bytes.load(Ordering::Relaxed);
    let bases = alive / records.len() - body;
    let total = own + shared + dictionary + bases + STORE;
    println!(
        "pod: {sent} B sent, {} B stored JSON, {body} B packed, record {} B, own {own} B, shared {shared} B, \
         bases {bases} B, dictionary {dictionary} B, total {total} B; ingest {:?}, unpack {:?} each",
        unpacked / records.len(),
        size_of::<Record>(),
        ingested / 6_000,
        unpack / 6_000,
    );
    assert!((8_000..9_200).contains(&sent), "{sent}");
    assert!(total <= 1_050, "{total}");
}

fn form(plural: &str, metadata_only: bool) -> PackedForm {
    let kind = KindInfo::new("", "v1", "Some", plural);
    PackedForm { resource: ResourceId::of(&kind), metadata_only, keep_managed_fields: false }
}

fn pack_all(packer: &Packer, numbers: std::ops::Range<usize>) {
    for number in numbers {
        pack(packer, &json(number), 0).with_json(|read| assert_eq!(read, json(number)));
    }
    packer.settle();
}

fn same(one: &Packer, other: &Packer) -> bool {
    one.dictionary().map(|it| Arc::as_ptr(&it)) == other.dictionary().map(|it| Arc::as_ptr(&it))
}

#[test]
fn informers_whose_objects_look_alike_share_a_dictionary() {
    let all = Dictionaries::default();
    let (one, two) = (all.packer(form("pods", false)), all.packer(form("pods", false)));
    let (other, metadata) = (all.packer(form("nodes", false)), all.packer(form("pods", true)));
    pack_all(&one, 0..FIRST_AT);
    assert!(one.dictionary().is_some() && same(&one, &two));
    assert!(other.dictionary().is_none() && metadata.dictionary().is_none());
    drop((one, two));
    assert!(all.packer(form("pods", false)).dictionary().is_none(), "it goes with the last of them");
}

#[test]
fn a_shared_dictionary_is_trained_on_the_first_lists_of_all() {
    let all = Dictionaries::default();
    let packers = [(); 4].map(|()| all.packer(form("pods", false)));
    let half = TRAIN_AT[0] / 2;
    pack_all(&packers[0], 0..half - 1);
    packers[0].first_list_done();
    let first = packers[0].dictionary().unwrap();
    pack_all(&packers[1], half..TRAIN_AT[0]);
    assert!(Arc::ptr_eq(&first, &packers[1].dictionary().unwrap()), "others are still listing");
    pack_all(&packers[1], 0..1);
    assert!(!Arc::ptr_eq(&first, &packers[0].dictionary().unwrap()), "trained on both");
    // One that is given up before its list is complete keeps nobody waiting.
    packers[1].first_list_done();
    packers[1].first_list_done();
    let [_, _, third, fourth] = packers;
    drop(third);
    assert!(fourth.shared.sampling.load(Ordering::Relaxed));
    drop(fourth);
}

#[test]
fn an_informer_that_comes_later_is_sampled_by_itself_if_little_was_seen() {
    let all = Dictionaries::default();
    let one = all.packer(form("pods", false));
    pack_all(&one, 0..WORTH_TRAINING);
    one.first_list_done();
    one.settle();
    let first = one.dictionary().unwrap();
    let two = all.packer(form("pods", false));
    pack_all(&two, 0..TRAIN_AT[0] - 1);
    assert!(Arc::ptr_eq(&first, &two.dictionary().unwrap()), "the small sample of another is no better");
    pack_all(&two, 0..1);
    assert!(!Arc::ptr_eq(&first, &two.dictionary().unwrap()) && same(&one, &two), "trained again");
    two.first_list_done();
    let trained = two.dictionary().unwrap();
    let three = all.packer(form("pods", false));
    pack_all(&three, 0..2 * TRAIN_AT[0]);
    three.first_list_done();
    three.settle();
    assert!(Arc::ptr_eq(&trained, &three.dictionary().unwrap()), "enough was seen");
}

#[test]
fn bodies_can_be_packed_at_the_same_time() {
    let packer = Packer::new(false);
    pack_all(&packer, 0..FIRST_AT);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let packer = &packer;
            scope.spawn(move || {
                for number in 0..200 {
                    let json = json(thread * 1_000 + number);
                    packer.pack(&json).with_json(|read| assert_eq!(read, json));
                }
            });
        }
    });
}

//! The storage compared with a simple model, and its edge cases.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::*;

fn id(plural: &str) -> StorageId {
    StorageId { group: "".into(), plural: plural.into() }
}

fn content(key: &str, value: u64) -> Content {
    let name = key.rsplit('/').next().unwrap();
    let Value::Object(object) = json!({ "metadata": { "name": name }, "value": value }) else {
        unreachable!()
    };
    Content::new(key, &object, &[])
}

fn storage(history: History) -> Storage {
    Storage::new(1, history, Slowness::default())
}

fn everything<'a>() -> PageRequest<'a> {
    PageRequest { namespace: None, from: None, limit: 0, keep: &|_| true }
}

/// Key, version and value of each object.
type Snapshot = Vec<(String, u64, u64)>;

fn state(page: &Page) -> Snapshot {
    let value = |stored: &Stored| stored.to_object().unwrap()["value"].as_u64().unwrap();
    page.items.iter().map(|stored| (stored.content.key.to_string(), stored.version, value(stored))).collect()
}

fn listed(storage: &Storage, id: &StorageId, at: Option<u64>) -> Result<Snapshot, Gone> {
    storage.page(id, at, &everything()).map(|page| state(&page))
}

/// All changes that can be read now.
fn drained(storage: &Storage, cursor: &mut Cursor) -> Vec<Arc<Event>> {
    let mut all = Vec::new();
    loop {
        match storage.read(cursor, 3) {
            Read::Events(events) => all.extend(events),
            Read::UpToDate(_) => return all,
            Read::Ended => panic!("ended after {} changes", all.len()),
        }
    }
}

/// Every state that one collection has had.
#[derive(Clone, Default)]
struct Model {
    now: BTreeMap<String, (u64, u64)>,
    then: Vec<(u64, Snapshot)>,
}

impl Model {
    fn state(&self) -> Snapshot {
        self.now.iter().map(|(key, (version, value))| (key.clone(), *version, *value)).collect()
    }

    /// The state as of a version.
    fn at(&self, version: u64) -> Snapshot {
        self.then
            .iter()
            .rev()
            .find(|(then, _)| *then <= version)
            .map(|(_, state)| state.clone())
            .unwrap_or_default()
    }
}

/// Applies the events of a watch to a listed state.
fn replay(mut state: BTreeMap<String, (u64, u64)>, events: &[Arc<Event>]) -> Snapshot {
    let mut last = 0;
    for event in events {
        assert!(event.version > last, "in order");
        last = event.version;
        let key = event.key().unwrap().to_string();
        let had = state.get(&key).map(|(version, _)| *version);
        assert_eq!(event.old.as_ref().map(|old| old.version), had, "what was before");
        match &event.new {
            Some(new) => {
                assert_eq!(new.version, event.version);
                state.insert(key, (new.version, new.to_object().unwrap()["value"].as_u64().unwrap()));
            }
            None => drop(state.remove(&key)),
        }
    }
    state.into_iter().map(|(key, (version, value))| (key, version, value)).collect()
}

#[tokio::test(start_paused = true)]
async fn any_sequence_of_writes_can_be_listed_at_and_watched_from_every_version() {
    for seed in 0..40 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let history = History { min_events: 10_000, ..History::default() };
        let storage = storage(history);
        let ids = [id("cats"), id("dogs")];
        let mut models = [Model::default(), Model::default()];
        let first = storage.version();
        for value in 0..120 {
            let which = chance.usize(..2);
            let id = &ids[which];
            let model = &mut models[which];
            let key = format!("k{}", chance.u32(..6));
            match (model.now.get(&key).copied(), chance.u32(..4)) {
                (Some((version, _)), 0) => {
                    storage.remove(id, &key, version).unwrap();
                    model.now.remove(&key);
                }
                (Some((version, _)), _) => {
                    let stored = storage.write(id, content(&key, value), Expected::Version(version)).unwrap();
                    model.now.insert(key, (stored.version, value));
                }
                (None, _) => {
                    let stored = storage.write(id, content(&key, value), Expected::Absent).unwrap();
                    model.now.insert(key, (stored.version, value));
                }
            }
            let state = model.state();
            model.then.push((storage.version(), state));
        }
        for (id, model) in ids.iter().zip(&models) {
            assert_eq!(listed(&storage, id, None).unwrap(), model.state());
            for version in first..=storage.version() {
                let then = listed(&storage, id, Some(version)).unwrap();
                assert_eq!(then, model.at(version), "seed {seed}, version {version}");
                let (_, mut cursor) = storage.cursor(id, Some(version)).unwrap();
                let then = then.into_iter().map(|(key, version, value)| (key, (version, value))).collect();
                assert_eq!(replay(then, &drained(&storage, &mut cursor)), model.state());
            }
        }
        // Rewinds to a version in the middle, and goes on writing from there.
        let back = chance.u64(first..storage.version());
        let (_, mut cursor) = storage.cursor(&ids[0], None).unwrap();
        storage.rewind(back).unwrap();
        assert!(matches!(storage.read(&mut cursor, 1), Read::Ended), "watches end");
        assert_eq!(storage.version(), back);
        for (id, model) in ids.iter().zip(&models) {
            for version in first..=back {
                assert_eq!(listed(&storage, id, Some(version)).unwrap(), model.at(version), "seed {seed}");
            }
        }
        let again = storage.write(&ids[0], content("new", 0), Expected::Absent).unwrap();
        assert_eq!(again.version, back + 1, "numbers are used again");
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_one_version_are_the_whole_whatever_is_written_between() {
    for seed in 0..30 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let storage = storage(History::default());
        let id = id("cats");
        let mut versions = BTreeMap::new();
        let write = |chance: &mut fastrand::Rng, versions: &mut BTreeMap<String, u64>| {
            let key = format!("k{:02}", chance.u32(..30));
            match versions.get(&key).copied() {
                Some(version) if chance.bool() => {
                    storage.remove(&id, &key, version).unwrap();
                    versions.remove(&key);
                }
                old => {
                    let expected = old.map_or(Expected::Absent, Expected::Version);
                    let stored = storage.write(&id, content(&key, chance.u64(..9)), expected).unwrap();
                    versions.insert(key, stored.version);
                }
            }
        };
        (0..40).for_each(|_| write(&mut chance, &mut versions));
        let at = storage.version();
        let whole = listed(&storage, &id, None).unwrap();
        let mut paged = Vec::new();
        let mut from = None;
        loop {
            let request = PageRequest { from: from.as_deref(), limit: 4, ..everything() };
            let page = storage.page(&id, Some(at), &request).unwrap();
            paged.extend(state(&page));
            assert_eq!(page.remaining, whole.len() - paged.len());
            assert_eq!(page.more, page.remaining > 0);
            let Some(last) = page.items.last().filter(|_| page.more) else { break };
            from = Some(format!("{}\0", last.content.key));
            (0..3).for_each(|_| write(&mut chance, &mut versions));
        }
        assert_eq!(paged, whole, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn namespaces_are_ranges_of_the_joined_key() {
    let storage = storage(History::default());
    let namespaces = id("namespaces");
    for name in ["a", "a-b", "a0"] {
        storage.write(&namespaces, content(name, 0), Expected::Absent).unwrap();
    }
    for key in ["a/x", "a-b/x", "a0/x", "a/y"] {
        storage.write(&id("cats"), content(key, 0), Expected::Absent).unwrap();
    }
    let keys = |namespace| {
        let page = storage.page(&id("cats"), None, &PageRequest { namespace, ..everything() }).unwrap();
        page.items.iter().map(|stored| stored.content.key.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(keys(None), ["a-b/x", "a/x", "a/y", "a0/x"]);
    assert_eq!(keys(Some("a")), ["a/x", "a/y"]);
    assert_eq!(keys(Some("a-b")), ["a-b/x"]);
    assert!(!storage.is_empty("a") && storage.is_empty("b"));
    let nowhere = storage.write(&id("cats"), content("b/x", 0), Expected::Absent);
    assert!(matches!(nowhere, Err(Refused::NoNamespace)));
}

#[tokio::test(start_paused = true)]
async fn writes_expect_what_they_replace() {
    let storage = storage(History::default());
    let cats = id("cats");
    let one = storage.write(&cats, content("x", 1), Expected::Absent).unwrap();
    assert!(matches!(storage.write(&cats, content("x", 2), Expected::Absent), Err(Refused::Exists(_))));
    let two = storage.write(&cats, content("x", 2), Expected::Version(one.version)).unwrap();
    let stale = storage.write(&cats, content("x", 3), Expected::Version(one.version));
    assert!(matches!(stale, Err(Refused::Changed)));
    assert!(matches!(storage.remove(&cats, "x", one.version), Err(Refused::Changed)));
    let gone = storage.remove(&cats, "x", two.version).unwrap();
    assert_eq!((gone.version, storage.version()), (two.version + 1, two.version + 1));
    assert_eq!(gone.to_object().unwrap()["metadata"]["resourceVersion"], gone.version.to_string());
    assert!(matches!(storage.remove(&cats, "x", two.version), Err(Refused::Changed)));
}

#[tokio::test(start_paused = true)]
async fn a_busy_resource_keeps_the_window_and_an_idle_one_the_least() {
    let history =
        History { min_events: 4, max_events: 64, window: Duration::from_secs(75), ..History::default() };
    let storage = storage(history);
    let cats = id("cats");
    let mut versions = vec![storage.write(&cats, content("x", 0), Expected::Absent).unwrap().version];
    for value in 1..40 {
        tokio::time::advance(Duration::from_secs(1)).await;
        let last = *versions.last().unwrap();
        versions.push(storage.write(&cats, content("x", value), Expected::Version(last)).unwrap().version);
    }
    assert!(storage.cursor(&cats, Some(versions[0])).is_ok(), "all of it is younger than the window");
    tokio::time::advance(Duration::from_secs(100)).await;
    for value in 0..200 {
        let last = *versions.last().unwrap();
        versions.push(storage.write(&cats, content("x", value), Expected::Version(last)).unwrap().version);
    }
    let Err(gone) = storage.cursor(&cats, Some(versions[100])) else { panic!("there is room for 64 only") };
    assert_eq!(storage.page(&cats, Some(gone.oldest - 1), &everything()).unwrap_err(), gone);
    assert!(storage.cursor(&cats, Some(gone.oldest)).is_ok());
    assert!(gone.oldest >= storage.version() - 64);
}

#[tokio::test(start_paused = true)]
async fn history_is_bounded_by_age_and_by_bytes_if_asked() {
    let history = History { max_age: Some(Duration::from_secs(10)), ..History::default() };
    let aged = storage(history);
    let cats = id("cats");
    let before = aged.version();
    aged.write(&cats, content("x", 0), Expected::Absent).unwrap();
    assert!(aged.cursor(&cats, Some(before)).is_ok());
    tokio::time::advance(Duration::from_secs(11)).await;
    assert_eq!(aged.cursor(&cats, Some(before)).unwrap_err(), Gone { oldest: before + 1 });

    let history = History { max_bytes: 100_000, ..History::default() };
    let small = storage(history);
    let before = small.version();
    for value in 0..40 {
        let object: Map<String, Value> =
            [("data".to_owned(), json!("x".repeat(10_000)))].into_iter().collect();
        small.write(&cats, Content::new(&format!("k{value}"), &object, &[]), Expected::Absent).unwrap();
    }
    let Err(gone) = small.cursor(&cats, Some(before)) else { panic!("that would be 400 kB") };
    let kept = small.version() - gone.oldest;
    assert!((5..=10).contains(&kept), "{kept} changes of 10 kB are kept");
}

#[tokio::test(start_paused = true)]
async fn what_is_compacted_can_neither_be_read_nor_gone_back_to() {
    let storage = storage(History::default());
    let cats = id("cats");
    let one = storage.write(&cats, content("x", 1), Expected::Absent).unwrap().version;
    let two = storage.write(&cats, content("y", 1), Expected::Absent).unwrap().version;
    let (_, mut behind) = storage.cursor(&cats, Some(one)).unwrap();
    storage.compact(two);
    assert_eq!(listed(&storage, &cats, Some(one)).unwrap_err(), Gone { oldest: two });
    assert_eq!(listed(&storage, &cats, Some(two)).unwrap().len(), 2);
    assert_eq!(
        storage.cursor(&id("dogs"), Some(one)).unwrap_err(),
        Gone { oldest: two },
        "never asked for before"
    );
    assert!(matches!(storage.read(&mut behind, 1), Read::Ended));
    assert_eq!(storage.rewind(one).unwrap_err(), Gone { oldest: two });
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_does_not_keep_up_is_given_up_but_not_for_its_backlog() {
    let slowness = Slowness { buffer: 5, patience: Duration::from_secs(1) };
    let storage = Storage::new(1, History::default(), slowness);
    let cats = id("cats");
    let start = storage.version();
    let write = |from: u64| {
        for value in from..from + 20 {
            storage.write(&cats, content(&format!("k{value}"), 0), Expected::Absent).unwrap();
        }
    };
    write(0);
    tokio::time::advance(Duration::from_secs(10)).await;
    let (_, mut cursor) = storage.cursor(&cats, Some(start)).unwrap();
    assert_eq!(drained(&storage, &mut cursor).len(), 20, "the past is no fault of the reader");
    write(20);
    assert_eq!(drained(&storage, &mut cursor).len(), 20, "more than fits, but only just now");
    write(40);
    tokio::time::advance(Duration::from_secs(2)).await;
    assert!(matches!(storage.read(&mut cursor, 1), Read::Ended));
}

#[test]
fn objects_are_written_as_go_writes_them_with_metadata_first() {
    let Value::Object(object) = json!({
        "kind": "Cat", "apiVersion": "v1", "data": { "<a>": "b & \u{2028}" },
        "metadata": { "name": "x", "resourceVersion": "1", "labels": { "a": "b" } },
    }) else {
        unreachable!()
    };
    let content = Arc::new(Content::new("x", &object, &[]));
    let text = |version, metadata: bool| {
        let stored = Stored { version, content: content.clone() };
        let mut out = Vec::new();
        if metadata {
            stored.write_metadata("\"kind\":\"Cat\",", &mut out);
        } else {
            stored.write_whole("\"kind\":\"Cat\",", &mut out);
        }
        String::from_utf8(out).unwrap()
    };
    let metadata = r#"{"kind":"Cat","metadata":{"resourceVersion":"7","labels":{"a":"b"},"name":"x"}"#;
    assert_eq!(text(7, true), format!("{metadata}}}"));
    assert_eq!(text(7, false), format!(r#"{metadata},"data":{{"\u003ca\u003e":"b \u0026 \u2028"}}}}"#));
    assert!(text(0, false).starts_with(r#"{"kind":"Cat","metadata":{"labels""#), "not written yet");
}

#[tokio::test(start_paused = true)]
async fn what_is_retired_is_told_to_the_end_takes_nothing_new_and_is_not_forgotten_in_silence() {
    let storage = storage(History::default());
    let cats = id("cats");
    let before = storage.version();
    storage.write(&id("definitions"), content("cats", 1), Expected::Absent).unwrap();
    storage.renew(&cats);
    storage.write(&cats, content("x", 1), Expected::Absent).unwrap();
    storage.write(&cats, content("y", 1), Expected::Absent).unwrap();
    let lived = storage.version();
    let (_, mut cursor) = storage.cursor(&cats, None).unwrap();
    let removed = storage.retire(&cats);
    assert_eq!((removed.len(), storage.version()), (2, lived + 2));
    let Read::Events(events) = storage.read(&mut cursor, 10) else { panic!("ended too early") };
    assert!(events.iter().all(|event| event.new.is_none()));
    assert_eq!(events.len(), 2);
    assert!(matches!(storage.read(&mut cursor, 10), Read::Ended));
    let refused = storage.write(&cats, content("z", 1), Expected::Absent).unwrap_err();
    assert!(matches!(refused, Refused::Retired));

    storage.renew(&cats);
    storage.write(&cats, content("z", 1), Expected::Absent).unwrap();
    assert_eq!(storage.rewind(lived).unwrap_err().oldest, lived + 2, "what was there then is forgotten");
    storage.rewind(before).unwrap();
    assert!(listed(&storage, &cats, None).unwrap().is_empty());
}

use std::cell::Cell;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::ScriptedSource;
use serde_json::json;

use super::*;

thread_local! {
    /// How often an event was judged.
    pub(super) static JUDGED: Cell<usize> = const { Cell::new(0) };
}

struct Rig {
    echoes: Echoes,
    /// Two handlers of one informer.
    listeners: [Listener; 2],
    kind: KindInfo,
    /// What was added after it had been held.
    added: Arc<Mutex<Vec<String>>>,
}

impl Rig {
    fn new() -> Self {
        let informer =
            SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap();
        let added = Arc::<Mutex<Vec<String>>>::default();
        let into = added.clone();
        let echoes = Echoes::new(move |key| into.lock().push(key.name().to_owned()));
        let listeners = [echoes.listener(&informer.as_kind()), echoes.listener(&informer.as_kind())];
        Self { echoes, listeners, kind: informer.kind().clone(), added }
    }

    fn writing(&self, owner: &str, object: &str) -> Writing {
        self.echoes.writing(&key(owner), &self.kind, &key(object)).unwrap()
    }

    /// A run of this key has made this version over that one.
    fn wrote(&self, owner: &str, base: &str, version: &str) {
        self.writing(owner, "a").expect_echo(&made("x", version), over(base), |_| true);
    }

    fn news(&self, old: &str, new: &str, keys: &[&str]) -> Vec<String> {
        self.news_of(0, "x", old, new, keys)
    }

    /// Which of the keys an event is news for. `old` may be empty.
    fn news_of(&self, listener: usize, uid: &str, old: &str, new: &str, keys: &[&str]) -> Vec<String> {
        let old = (!old.is_empty()).then(|| object(uid, old));
        let keys = keys.iter().map(|name| key(name)).collect();
        let news = self.listeners[listener].news(old.as_ref(), &object(uid, new), keys);
        news.iter().map(|key| key.name().to_owned()).collect()
    }

    fn links(&self) -> usize {
        self.echoes.0.lock().links.values().map(Vec::len).sum()
    }

    fn added(&self) -> Vec<String> {
        std::mem::take(&mut *self.added.lock())
    }
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

fn over(base: &str) -> Base {
    if base.is_empty() { Base::Nothing } else { Base::Version(ResourceVersion::new(base)) }
}

fn made(uid: &str, version: &str) -> Value {
    made_of("a", uid, version)
}

fn made_of(name: &str, uid: &str, version: &str) -> Value {
    json!({ "metadata": { "name": name, "namespace": "default", "uid": uid, "resourceVersion": version } })
}

fn object(uid: &str, version: &str) -> Object<ConfigMap> {
    Object::new(&serde_json::from_value(made(uid, version)).unwrap()).unwrap()
}

const NOBODY: [&str; 0] = [];

#[test]
fn an_event_that_shows_the_own_write_alone_is_an_echo_for_that_key_and_for_no_other() {
    let rig = Rig::new();
    rig.wrote("me", "4", "5");
    assert_eq!(rig.news("4", "5", &["me", "you"]), ["you"]);
    assert_eq!(rig.news_of(1, "x", "4", "5", &["me"]), NOBODY, "each handler is told of it");
    assert_eq!(rig.links(), 0, "nothing is kept once all have been told");
    assert_eq!(rig.news("4", "5", &["me"]), ["me"], "as when a selector has let it go and got it back");
}

#[test]
fn whatever_somebody_else_has_written_in_between_is_news() {
    for (old, new) in [("3", "5"), ("4", "6"), ("5", "6"), ("", "5")] {
        let rig = Rig::new();
        rig.wrote("me", "4", "5");
        assert_eq!(rig.news(old, new, &["me"]), ["me"], "from {old:?} to {new}");
    }
}

#[test]
fn several_own_writes_may_come_as_one_event() {
    let rig = Rig::new();
    rig.wrote("me", "", "4");
    rig.wrote("me", "4", "5");
    rig.wrote("me", "5", "7");
    assert_eq!(rig.news("", "7", &["me"]), NOBODY);
    let rig = Rig::new();
    rig.wrote("me", "4", "5");
    rig.wrote("me", "6", "7");
    assert_eq!(rig.news("4", "7", &["me"]), ["me"], "the 6 is somebody else's");
}

#[test]
fn two_keys_that_write_the_same_object_hear_of_each_other() {
    let rig = Rig::new();
    rig.wrote("me", "4", "5");
    rig.wrote("you", "5", "6");
    assert_eq!(rig.news("4", "6", &["me", "you"]), ["me", "you"], "in one event");
    assert_eq!(rig.news_of(1, "x", "4", "5", &["me", "you"]), ["you"]);
    assert_eq!(rig.news_of(1, "x", "5", "6", &["me", "you"]), ["me"]);
}

#[test]
fn a_write_that_changed_nothing_makes_nobody_elses_version_its_own() {
    let rig = Rig::new();
    rig.wrote("me", "5", "5");
    assert_eq!(rig.news("4", "5", &["me"]), ["me"]);
}

#[test]
fn another_object_of_the_same_name_is_news() {
    let rig = Rig::new();
    rig.wrote("me", "4", "5");
    rig.listeners[0].note_gone(&object("x", "5"));
    assert_eq!(rig.news_of(0, "y", "4", "5", &["me"]), ["me"]);
    assert_eq!(rig.news_of(1, "y", "", "6", &["me"]), ["me"]);
    assert_eq!(rig.links(), 0);
}

#[test]
fn an_event_that_comes_before_the_answer_waits_for_it() {
    for (answer, expected) in [(Some("5"), vec![]), (Some("6"), vec!["me"]), (None, vec!["me"])] {
        let rig = Rig::new();
        let mut writing = rig.writing("me", "a");
        assert_eq!(rig.news("4", "5", &["me", "you"]), ["you"]);
        assert!(rig.added().is_empty());
        if let Some(version) = answer {
            writing.expect_echo(&made("x", version), over("4"), |_| true);
        }
        drop(writing);
        assert_eq!(rig.added(), expected, "{answer:?}");
    }
}

#[test]
fn what_happens_to_other_objects_waits_for_no_answer() {
    let rig = Rig::new();
    let other = rig.writing("me", "b");
    assert_eq!(rig.news("4", "5", &["me"]), ["me"]);
    let unnamed = rig.writing("me", "");
    assert_eq!(rig.news("5", "6", &["me"]), NOBODY, "the server makes up the name");
    drop(other);
    assert!(rig.added().is_empty());
    drop(unnamed);
    assert_eq!(rig.added(), ["me"]);
}

#[test]
fn that_it_is_to_be_deleted_is_news_also_for_who_has_asked_for_it() {
    let rig = Rig::new();
    rig.wrote("me", "4", "5");
    let mut deleting = made("x", "5");
    deleting["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let deleting: Object<ConfigMap> = Object::new(&serde_json::from_value(deleting).unwrap()).unwrap();
    assert_eq!(rig.listeners[0].news(Some(&object("x", "4")), &deleting, vec![key("me")]), [key("me")]);
}

#[test]
fn what_no_event_ever_shows_is_not_kept_without_bound() {
    let rig = Rig::new();
    for version in 0..1_000 {
        rig.wrote("me", &version.to_string(), &(version + 1).to_string());
        assert!(rig.links() <= VERSIONS);
    }
    for number in 0..2 * OBJECTS {
        let mut made = made("x", "5");
        made["metadata"]["name"] = format!("object-{number}").into();
        rig.writing("me", "a").expect_echo(&made, Base::Nothing, |_| true);
    }
    assert!(rig.links() <= OBJECTS + VERSIONS);
}

/// The old and the new state of a child lead to the same owner.
#[test]
fn an_event_that_leads_to_a_key_twice_is_judged_for_it_once() {
    let rig = Rig::new();
    let mut writing = rig.writing("me", "a");
    assert_eq!(rig.news("4", "5", &["me", "me"]), NOBODY);
    writing.expect_echo(&made("x", "5"), over("4"), |_| true);
    drop(writing);
    assert!(rig.added().is_empty());
    assert_eq!(rig.news("5", "6", &["me", "me"]), ["me"]);
}

#[test]
fn a_handler_whose_informer_did_not_show_the_write_to_the_run_is_told_of_it() {
    let rig = Rig::new();
    let other = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap();
    let other = rig.echoes.listener(&other.as_kind());
    let of_first = rig.echoes.0.lock().listening[0].informer.clone();
    rig.writing("me", "a").expect_echo(&made("x", "5"), over("4"), |of| of.same_informer(&of_first));
    let told = |from: &Listener| from.news(Some(&object("x", "4")), &object("x", "5"), vec![key("me")]);
    assert_eq!(told(&other), [key("me")]);
    assert_eq!(rig.links(), 1, "the others have not been told");
    assert_eq!((told(&rig.listeners[0]), told(&rig.listeners[1])), (vec![], vec![]));
    assert_eq!(rig.links(), 0, "nothing stays behind for one that is never told");
}

#[test]
fn what_no_handler_shows_leaves_nothing_behind() {
    let rig = Rig::new();
    rig.writing("me", "a").expect_echo(&made("x", "5"), over("4"), |_| false);
    assert_eq!(rig.links(), 0);
    assert_eq!(rig.news("4", "5", &["me"]), ["me"]);
}

#[test]
fn handlers_beyond_the_last_bit_are_told_of_everything() {
    let rig = Rig::new();
    let informer = rig.echoes.0.lock().listening[0].informer.clone();
    let more: Vec<Listener> = (2..65).map(|_| rig.echoes.listener(&informer)).collect();
    rig.wrote("me", "4", "5");
    assert_eq!(more[62].news(Some(&object("x", "4")), &object("x", "5"), vec![key("me")]), [key("me")]);
    assert_eq!(rig.news("4", "5", &["me"]), NOBODY);
}

#[test]
fn nobody_waits_for_the_answer_to_a_write_that_no_handler_is_told_of() {
    let rig = Rig::new();
    let pods = KindInfo::new("", "v1", "Pod", "pods");
    assert!(rig.echoes.listens(&rig.kind) && !rig.echoes.listens(&pods));
    assert!(rig.echoes.writing(&key("me"), &pods, &key("a")).is_none());
}

/// A run writes a hundred objects at the same time, and each event comes before its answer.
#[test]
fn each_answer_is_compared_with_the_events_of_its_own_object() {
    for is_named in [true, false] {
        let rig = Rig::new();
        let names: Vec<String> = (0..100).map(|number| format!("object-{number}")).collect();
        let writings: Vec<Writing> =
            names.iter().map(|name| rig.writing("me", if is_named { name } else { "" })).collect();
        let answers: Vec<Value> = names.iter().map(|name| made_of(name, "x", "5")).collect();
        for answer in &answers {
            let new: Object<ConfigMap> =
                Object::new(&serde_json::from_value(answer.clone()).unwrap()).unwrap();
            assert_eq!(rig.listeners[0].news(None, &new, vec![key("me")]), []);
        }
        JUDGED.set(0);
        for (mut writing, answer) in writings.into_iter().zip(&answers) {
            writing.expect_echo(answer, Base::Nothing, |_| true);
        }
        assert_eq!(JUDGED.get(), 100, "named: {is_named}");
        assert!(rig.added().is_empty());
        assert!(rig.echoes.0.lock().writing.is_empty());
    }
}

#[test]
fn of_writes_that_are_answered_in_another_order_nothing_is_news() {
    let rig = Rig::new();
    let (mut first, mut second) = (rig.writing("me", "a"), rig.writing("me", "a"));
    assert_eq!(rig.news("4", "5", &["me"]), NOBODY);
    assert_eq!(rig.news("5", "6", &["me"]), NOBODY);
    second.expect_echo(&made("x", "6"), over("5"), |_| true);
    drop(second);
    first.expect_echo(&made("x", "5"), over("4"), |_| true);
    drop(first);
    assert!(rig.added().is_empty());
}

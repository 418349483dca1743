use std::time::Duration;

use futures::future::BoxFuture;
use kube_informer::SharedInformer;
use kube_informer::object::{ResourceVersion, Uid};
use tokio::time::timeout;

use super::*;

/// A cache that has seen what it was told.
struct Scripted {
    seen: Mutex<Vec<(ObjectKey, Until)>>,
    news: Notify,
    holds: Mutex<bool>,
    ends: Mutex<Seen>,
}

impl Scripted {
    fn show(&self, key: &ObjectKey, until: Until) {
        self.seen.lock().push((key.clone(), until));
        self.news.notify_waiters();
    }
}

impl Cache for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn informer(&self) -> Option<&SharedInformer<()>> {
        None
    }

    fn has_seen(&self, key: &ObjectKey, until: &Until) -> bool {
        self.seen.lock().iter().any(|(other, seen)| (other, seen) == (key, until))
    }

    fn holds(&self, _: &ObjectKey) -> bool {
        *self.holds.lock()
    }

    fn see<'a>(&'a self, key: &'a ObjectKey, until: &'a Until) -> BoxFuture<'a, Seen> {
        Box::pin(async move {
            loop {
                let mut news = std::pin::pin!(self.news.notified());
                news.as_mut().enable();
                if self.has_seen(key, until) {
                    return *self.ends.lock();
                }
                news.await;
            }
        })
    }
}

fn version(number: u64) -> Until {
    Until::Version(ResourceVersion::new(&number.to_string()))
}

const MINUTE: Duration = Duration::from_secs(60);

struct Rig {
    tracker: Tracker,
    cache: Arc<Scripted>,
    owner: ObjectKey,
    pod: ObjectKey,
}

impl Rig {
    fn new() -> Self {
        let cache = Scripted {
            seen: Mutex::default(),
            news: Notify::new(),
            holds: Mutex::new(true),
            ends: Mutex::new(Seen::Yes),
        };
        Self {
            tracker: Tracker::new(),
            cache: Arc::new(cache),
            owner: ObjectKey::namespaced("default", "owner"),
            pod: ObjectKey::namespaced("default", "pod"),
        }
    }

    fn begin(&self) -> Ticket {
        let overlays = Arc::default();
        self.tracker.begin(&self.owner, &overlays, self.cache.clone(), self.pod.clone(), Until::Unknown)
    }

    fn wrote(&self, until: Until) {
        self.begin().answered(self.pod.clone(), until, true);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_waits_for_its_own_writes_and_no_other_key_does() {
    let rig = Rig::new();
    assert!(rig.tracker.is_settled(&rig.owner));
    rig.wrote(version(5));
    assert!(!rig.tracker.is_settled(&rig.owner));
    assert!(rig.tracker.is_settled(&ObjectKey::namespaced("default", "other")));
    let (settled, ()) = tokio::join!(rig.tracker.settled(&rig.owner, MINUTE), async {
        tokio::time::sleep(MINUTE / 2).await;
        rig.cache.show(&rig.pod, version(5));
    });
    assert!(settled && rig.tracker.is_settled(&rig.owner) && !rig.tracker.take_stale(&rig.owner));
    assert!(rig.tracker.is_empty(), "nothing is kept of a key that nobody waits for");
}

#[tokio::test(start_paused = true)]
async fn after_a_while_it_runs_anyway_and_it_is_said_once() {
    let rig = Rig::new();
    rig.wrote(version(5));
    assert!(!rig.tracker.settled(&rig.owner, MINUTE).await);
    rig.tracker.give_up(&rig.owner);
    assert!(rig.tracker.take_stale(&rig.owner));
    assert!(!rig.tracker.take_stale(&rig.owner));
    assert!(rig.tracker.run(&rig.owner).is_stale());
    assert!(!rig.tracker.is_settled(&rig.owner), "it waits again before the run after that");
    rig.cache.show(&rig.pod, version(5));
    assert!(!rig.tracker.run(&rig.owner).is_stale());
}

#[test]
fn the_last_write_of_an_object_stands_for_the_earlier_ones() {
    let rig = Rig::new();
    rig.wrote(version(5));
    rig.wrote(version(6));
    rig.cache.show(&rig.pod, version(6));
    assert!(rig.tracker.is_settled(&rig.owner));
}

#[test]
fn a_refused_write_leaves_the_one_before_it() {
    let rig = Rig::new();
    rig.begin().void();
    assert!(rig.tracker.is_settled(&rig.owner) && rig.tracker.is_empty());
    rig.wrote(version(5));
    rig.begin().void();
    assert!(!rig.tracker.is_settled(&rig.owner));
}

#[test]
fn a_write_that_was_dropped_on_the_way_may_have_been_made() {
    let rig = Rig::new();
    drop(rig.begin());
    assert!(!rig.tracker.is_settled(&rig.owner));
    rig.cache.show(&rig.pod, Until::Unknown);
    assert!(rig.tracker.is_settled(&rig.owner));
}

/// Whatever the cache shows while the request is under way says nothing of what is to come of it.
#[tokio::test(start_paused = true)]
async fn what_is_under_way_is_not_looked_for() {
    let rig = Rig::new();
    let ticket = rig.begin();
    rig.cache.show(&rig.pod, Until::Unknown);
    assert!(!rig.tracker.is_settled(&rig.owner));
    assert!(!rig.tracker.settled(&rig.owner, MINUTE).await);
    let (settled, ()) = tokio::join!(rig.tracker.settled(&rig.owner, MINUTE), async {
        tokio::time::sleep(MINUTE / 4).await;
        ticket.answered(rig.pod.clone(), version(5), true);
        tokio::time::sleep(MINUTE / 4).await;
        rig.cache.show(&rig.pod, version(5));
    });
    assert!(settled && rig.tracker.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_ends_a_wait() {
    let rig = Rig::new();
    let ticket = rig.begin();
    let (settled, ()) = tokio::join!(rig.tracker.settled(&rig.owner, MINUTE), async {
        tokio::time::sleep(MINUTE / 4).await;
        ticket.void();
    });
    assert!(settled && rig.tracker.is_empty());
}

/// A handle that is used after its run: what is written through it while the next run looks must not be lost.
#[test]
fn a_write_that_begins_while_the_caches_are_asked_is_kept() {
    let rig = Rig::new();
    rig.wrote(version(5));
    rig.cache.show(&rig.pod, version(5));
    let known = rig.tracker.unseen(&rig.owner);
    rig.wrote(version(6));
    let seen: Vec<u64> = known.iter().map(|write| write.ticket).collect();
    assert!(!rig.tracker.forget(&rig.owner, &seen));
    assert!(!rig.tracker.is_settled(&rig.owner));
}

#[tokio::test(start_paused = true)]
async fn what_came_and_went_unseen_is_missed() {
    let rig = Rig::new();
    assert!(rig.tracker.missing(&rig.owner).is_none());
    for holds in [true, false] {
        rig.wrote(version(5));
        let missing = rig.tracker.missing(&rig.owner).unwrap();
        assert!(rig.tracker.missing(&rig.owner).is_none(), "one of them is enough");
        *rig.cache.holds.lock() = holds;
        rig.cache.show(&rig.pod, version(5));
        assert_eq!(missing.await, !holds);
        assert!(rig.tracker.is_empty(), "nothing is kept of a key that never runs again");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_that_went_back_in_time_undid_is_missed() {
    for until in [version(5), Until::Gone(Uid::new("a")), Until::Unknown, Until::Everything] {
        let rig = Rig::new();
        rig.wrote(until.clone());
        let missing = rig.tracker.missing(&rig.owner).unwrap();
        *rig.cache.ends.lock() = Seen::Rewound;
        rig.cache.show(&rig.pod, until);
        assert!(missing.await);
        assert!(rig.tracker.is_settled(&rig.owner), "there is nothing to wait for");
    }
}

#[test]
fn a_write_that_is_answered_late_is_not_taken_for_an_earlier_one() {
    let rig = Rig::new();
    let (one, other) = (rig.begin(), rig.begin());
    other.answered(rig.pod.clone(), version(5), true);
    one.answered(rig.pod.clone(), version(6), true);
    rig.cache.show(&rig.pod, version(5));
    assert!(!rig.tracker.is_settled(&rig.owner));
    rig.cache.show(&rig.pod, version(6));
    assert!(rig.tracker.is_settled(&rig.owner));
}

#[tokio::test(start_paused = true)]
async fn one_waits_for_what_is_missing_and_if_he_gives_up_another_can() {
    let rig = Rig::new();
    assert!(rig.tracker.missing(&rig.owner).is_none(), "there is nothing");
    rig.wrote(version(5));
    let missing = rig.tracker.missing(&rig.owner).unwrap();
    assert!(rig.tracker.missing(&rig.owner).is_none(), "somebody waits already");
    assert!(timeout(MINUTE, missing).await.is_err());
    let missing = rig.tracker.missing(&rig.owner).expect("he has given up");
    *rig.cache.holds.lock() = false;
    rig.cache.show(&rig.pod, version(5));
    assert!(timeout(MINUTE, missing).await.unwrap(), "it has come and gone");
    assert!(rig.tracker.is_empty());
}

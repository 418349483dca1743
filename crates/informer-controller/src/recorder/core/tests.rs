use super::*;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

struct Rig {
    core: Core,
    begin: Instant,
    now: Duration,
}

impl Rig {
    fn new() -> Self {
        let rules =
            Rules { controller: "c".into(), instance: "c-1".to_owned(), burst: 25, one_per: 5 * MINUTE };
        Self { core: Core::new(rules), begin: Instant::now(), now: Duration::ZERO }
    }

    fn now(&self) -> Now {
        let time = Timestamp::UNIX_EPOCH + self.now;
        Now { instant: self.begin + self.now, time }
    }

    fn tell(&mut self, about: &str, note: &str) -> Result<(), Dropped> {
        let now = self.now();
        self.core.observe(object(about), Note::normal("R", note), now)
    }

    /// The writes that are due, in short, each with this outcome.
    fn writes(&mut self, outcome: Outcome) -> Vec<String> {
        let mut writes = Vec::new();
        while let Some(write) = self.core.next(self.begin + self.now) {
            writes.push(match write.body {
                Body::Create(event) => {
                    let count = event.series.map_or(1, |series| series.count);
                    format!("create {} {count}", event.note.unwrap())
                }
                Body::Patch(series) => format!("count {} at {}", series.count, series.last_observed_time.0),
            });
            let now = self.now();
            self.core.wrote(write.series, outcome, now).ok();
            if outcome != Outcome::Done {
                break;
            }
        }
        writes
    }

    /// How long it is until something is due.
    fn wait(&mut self) -> Option<Duration> {
        let deadline = self.core.deadline()? - self.begin;
        let wait = deadline.saturating_sub(self.now);
        self.now = self.now.max(deadline);
        Some(wait)
    }
}

fn object(name: &str) -> Reference {
    Reference {
        api_version: "v1".to_owned(),
        kind: "Pod".to_owned(),
        namespace: Some("ns".to_owned()),
        name: name.to_owned(),
        uid: kube_informer::object::Uid::new(name),
    }
}

#[test]
fn a_series_is_written_at_the_second_one_and_when_it_has_ended() {
    let mut rig = Rig::new();
    for count in 1..=5 {
        rig.tell("a", "x").unwrap();
        let expected = match count {
            1 => vec!["create x 1".to_owned()],
            2 => vec!["count 2 at 1970-01-01T00:01:00Z".to_owned()],
            _ => vec![],
        };
        assert_eq!(rig.writes(Outcome::Done), expected, "{count}");
        rig.now += MINUTE;
    }
    assert_eq!(rig.wait(), Some(5 * MINUTE));
    assert_eq!(rig.writes(Outcome::Done), ["count 5 at 1970-01-01T00:04:00Z"]);
    assert_eq!((rig.core.series.len(), rig.core.numbers.len(), rig.core.deadline()), (0, 0, None));
    rig.tell("a", "x").unwrap();
    assert_eq!(rig.writes(Outcome::Done), ["create x 1"], "another one");
}

#[test]
fn a_series_that_goes_on_is_written_every_half_an_hour() {
    let mut rig = Rig::new();
    let mut written = Vec::new();
    for minute in 0..120 {
        rig.tell("a", "x").unwrap();
        for _ in rig.writes(Outcome::Done) {
            written.push(minute);
        }
        rig.now += MINUTE;
    }
    assert_eq!(written, [0, 1, 31, 61, 91]);
}

#[test]
fn what_is_told_while_it_is_written_comes_with_the_next_write() {
    let mut rig = Rig::new();
    rig.tell("a", "x").unwrap();
    let write = rig.core.next(rig.begin).unwrap();
    rig.tell("a", "x").unwrap();
    rig.tell("a", "x").unwrap();
    assert!(rig.core.next(rig.begin).is_none(), "one write of a series at a time");
    rig.core.wrote(write.series, Outcome::Done, rig.now()).unwrap();
    assert_eq!(rig.writes(Outcome::Done), ["count 3 at 1970-01-01T00:00:00Z"]);
}

#[test]
fn an_event_that_expired_is_created_again_with_its_count() {
    let mut rig = Rig::new();
    rig.tell("a", "x").unwrap();
    rig.writes(Outcome::Done);
    rig.tell("a", "x").unwrap();
    assert_eq!(rig.writes(Outcome::Gone), ["count 2 at 1970-01-01T00:00:00Z"]);
    assert_eq!(rig.writes(Outcome::Done), ["create x 2"]);
}

#[test]
fn a_name_that_is_taken_is_changed_and_one_that_is_ours_already_is_not() {
    let mut rig = Rig::new();
    rig.tell("a", "x").unwrap();
    let first = rig.core.next(rig.begin).unwrap();
    rig.core.wrote(first.series, Outcome::Exists, rig.now()).unwrap();
    let second = rig.core.next(rig.begin).unwrap();
    assert_ne!(first.name, second.name);
    // The answer is lost: it is there when it is tried again.
    rig.core.wrote(second.series, Outcome::Again(SECOND), rig.now()).unwrap();
    assert_eq!(rig.wait(), Some(SECOND));
    let third = rig.core.next(rig.begin + rig.now).unwrap();
    assert_eq!(second.name, third.name);
    rig.core.wrote(third.series, Outcome::Exists, rig.now()).unwrap();
    assert!(rig.core.is_flushed());
}

#[test]
fn a_write_is_tried_twelve_times_and_a_refused_one_once() {
    let mut rig = Rig::new();
    rig.tell("a", "x").unwrap();
    let mut tries = 0;
    while rig.wait().is_some() {
        tries += rig.writes(Outcome::Again(10 * SECOND)).len();
    }
    assert_eq!((tries, rig.now, rig.core.series.len()), (12, 110 * SECOND, 0));
    rig.tell("a", "x").unwrap();
    assert_eq!(rig.writes(Outcome::Refused), ["create x 1"]);
    assert_eq!((rig.core.series.len(), rig.wait()), (0, None));
}

#[test]
fn many_notes_under_one_reason_become_one_series() {
    let mut rig = Rig::new();
    for number in 1..=20 {
        rig.tell("a", &number.to_string()).unwrap();
    }
    let writes = rig.writes(Outcome::Done);
    assert_eq!(writes.len(), 10);
    assert_eq!(writes[8..], ["create 9 1", "create (combined from similar events): 10 11"]);
}

#[test]
fn an_object_that_tells_too_much_is_not_heard_and_the_others_are() {
    let mut rig = Rig::new();
    let mut tell = |about: &str, number: usize| {
        let (now, reason) = (rig.now(), format!("R{number}"));
        rig.core.observe(object(about), Note::normal(reason, "x"), now)
    };
    let heard = (0..100).filter(|number| tell("a", *number).is_ok()).count();
    assert_eq!((heard, tell("a", 100), tell("b", 0)), (25, Err(Dropped::Spam), Ok(())));
    assert_eq!(tell("a", 0), Ok(()), "a series costs nothing");
    rig.now += 5 * MINUTE;
    let now = rig.now();
    assert_eq!(rig.core.observe(object("a"), Note::normal("new", "x"), now), Ok(()));
    assert_eq!(rig.core.observe(object("a"), Note::normal("newer", "x"), now), Err(Dropped::Spam));
    assert_eq!(rig.core.observe(object("a"), Note::warning("newer", "x"), now), Ok(()), "by type");
}

#[test]
fn memory_has_a_bound_and_what_the_server_has_is_forgotten_first() {
    let mut rig = Rig::new();
    for number in 0..SERIES {
        rig.tell(&number.to_string(), "x").unwrap();
    }
    assert_eq!(rig.tell("one-more", "x"), Err(Dropped::Full));
    rig.writes(Outcome::Done);
    assert_eq!(rig.tell("one-more", "x"), Ok(()));
    assert_eq!((rig.core.series.len(), rig.core.numbers.len()), (SERIES, SERIES));
}

#[test]
fn a_flush_writes_the_counts_that_wait_for_their_time() {
    let mut rig = Rig::new();
    for _ in 0..2 {
        rig.tell("a", "x").unwrap();
        rig.writes(Outcome::Done);
    }
    rig.tell("a", "x").unwrap();
    assert_eq!(rig.writes(Outcome::Done), [] as [&str; 0]);
    assert!(!rig.core.is_flushed());
    rig.core.flush(rig.begin);
    assert_eq!(rig.writes(Outcome::Done), ["count 3 at 1970-01-01T00:00:00Z"]);
    assert!(rig.core.is_flushed() && !rig.core.is_flushing);
}

#[test]
fn events_have_the_fields_of_client_go() {
    let mut rig = Rig::new();
    let mut node = object("Role:x");
    node.namespace = None;
    let now = rig.now();
    rig.core.observe(node, Note::warning("Failed", "é".repeat(600)).action("Scale"), now).unwrap();
    let Some(Write { namespace, name, body: Body::Create(event), .. }) = rig.core.next(rig.begin) else {
        panic!("it is created");
    };
    assert_eq!((&*namespace, &*name), ("default", "event.1"), "no name of an event has a colon");
    assert_eq!(event.note.as_ref().unwrap().len(), 1024);
    let mut value = serde_json::to_value(&event).unwrap();
    value["note"].take();
    let expected = serde_json::json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": { "name": "event.1", "namespace": "default" },
        "eventTime": "1970-01-01T00:00:00.000000Z", "reportingController": "c", "reportingInstance": "c-1", "action": "Scale",
        "reason": "Failed", "type": "Warning", "note": null,
        "regarding": { "apiVersion": "v1", "kind": "Pod", "name": "Role:x", "uid": "Role:x" },
    });
    assert_eq!(value, expected);
}

//! `leader`: one of two replicas works, whatever happens to it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube_client::api::{WatchEvent, WatchParams};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{Cut, PATIENCE, Program, Relay, Sent, Server, stories};

stories!(one_of_two_works, leader_in_trouble, leader_in_trouble_with_its_lease);

/// Two thirds of it is the renew deadline. Less than that a busy machine may take to answer, and then leaderships are lost for no
/// other reason.
const LEASE_SECONDS: u64 = 5;

/// As in the program.
const RENEW_DEADLINE: Duration = Duration::from_millis(LEASE_SECONDS * 670);

/// What a relay on a busy machine may see late.
const TOLERANCE: Duration = Duration::from_millis(250);

/// A write, in the order in which the server took them.
#[derive(Debug)]
struct Write {
    version: u64,
    term: u64,
    replica: String,
    at: Instant,
}

/// The writes to the ConfigMap, as the server has them.
struct History {
    writes: mpsc::UnboundedReceiver<Write>,
    _task: JoinSet<()>,
    version: u64,
    last: u64,
    /// How many came after the first one of a later term.
    late: usize,
}

impl History {
    async fn begin(server: &Server) -> Self {
        let labels = json!({ "example": "leader" });
        let made: ConfigMap =
            server.create(json!({ "metadata": { "name": "work", "labels": labels } })).await;
        let (mut version, api) = (made.metadata.resource_version.unwrap(), server.api::<ConfigMap>());
        let (sender, writes) = mpsc::unbounded_channel();
        let mut task = JoinSet::new();
        task.spawn(async move {
            let params = WatchParams::default().fields("metadata.name=work");
            loop {
                let Ok(events) = api.watch(&params, &version).await else { continue };
                let mut events = events.boxed();
                while let Some(Ok(event)) = events.next().await {
                    let WatchEvent::Modified(map) = event else { continue };
                    version = map.metadata.resource_version.unwrap();
                    let data = map.data.unwrap_or_default();
                    let (term, replica) = (data["term"].parse().unwrap(), data["replica"].clone());
                    let version = version.parse().unwrap();
                    sender.send(Write { version, term, replica, at: Instant::now() }).unwrap();
                }
            }
        });
        Self { writes, _task: task, version: 0, last: 0, late: 0 }
    }

    /// The first write of a term after this one.
    async fn after(&mut self, term: Option<u64>) -> Write {
        loop {
            let write = self.next().await;
            if term.is_none_or(|term| write.term > term) {
                return write;
            }
        }
    }

    async fn next(&mut self) -> Write {
        let write = timeout(PATIENCE, self.writes.recv()).await.expect("somebody leads").unwrap();
        self.late += usize::from(write.term < self.last);
        (self.last, self.version) = (self.last.max(write.term), write.version);
        write
    }

    /// How many have come late so far.
    async fn late(&mut self, server: &Server) -> usize {
        let map = server.api::<ConfigMap>().get("work").await.unwrap();
        let version: u64 = map.metadata.resource_version.unwrap().parse().unwrap();
        while self.version < version {
            self.next().await;
        }
        std::mem::take(&mut self.late)
    }
}

struct Replica {
    program: Program,
    relay: Relay,
}

impl Replica {
    async fn start(server: &Server, name: &str) -> Self {
        let relay = Relay::to(server.target()).await;
        let seconds = LEASE_SECONDS.to_string();
        let environment = [("REPLICA", name), ("LEASE_SECONDS", &seconds)];
        let mut program = Program::start_at("leader", &server.kubeconfig_at(relay.address), &environment);
        program.until("is ready").await;
        Self { program, relay }
    }
}

/// Two replicas, one works, and the other one when it ends.
async fn one_of_two_works(server: &Server) {
    let mut history = History::begin(server).await;
    let mut first = Replica::start(server, "first").await;
    first.program.until("leads in term 0").await;
    let mut second = Replica::start(server, "second").await;
    assert_eq!(history.after(None).await.replica, "first");
    first.program.ended_by_sigterm().await;
    second.program.until("leads in term 1").await;
    assert_eq!(history.after(Some(0)).await.replica, "second");
    assert_eq!(history.late(server).await, 0);
    second.program.ended_by_sigterm().await;
    let lease = server.api::<Lease>().get("leader-example").await.unwrap().spec.unwrap();
    assert_eq!((lease.holder_identity, lease.lease_transitions), (None, Some(1)));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    Ended,
    Killed,
    Stopped,
    CutOff,
    /// Only the requests for the Lease get lost: all it writes besides would arrive.
    LeaseLost,
    /// The times in the Lease are wrong by hours, as if the clock of its holder had been set, and then it is killed. That shows that
    /// nobody goes by these times. That the clock of the machine was set cannot be shown without setting it: an election asks
    /// another one.
    ClockSet,
}

/// Something happens to the process of the leader.
async fn leader_in_trouble(server: &Server) {
    in_trouble(server, [Trouble::Ended, Trouble::Killed, Trouble::Stopped]).await;
}

/// The same for what happens to its Lease, and the way to it. Both wait for Leases most of the time, side by side.
async fn leader_in_trouble_with_its_lease(server: &Server) {
    in_trouble(server, [Trouble::CutOff, Trouble::LeaseLost, Trouble::ClockSet]).await;
}

/// Something happens to the leader, again and again. `KUBE_INFORMER_ROUNDS` says how often.
async fn in_trouble(server: &Server, troubles: [Trouble; 3]) {
    let rounds = std::env::var("KUBE_INFORMER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds = rounds.unwrap_or(troubles.len());
    let mut history = History::begin(server).await;
    let mut replicas = BTreeMap::new();
    for name in ["replica-0", "replica-1"] {
        replicas.insert(name.to_owned(), Replica::start(server, name).await);
    }
    let mut leader = history.after(None).await;
    let mut seen = BTreeMap::<Trouble, Seen>::new();
    for round in 0..rounds {
        let trouble = troubles[round % troubles.len()];
        let old = replicas.remove(&leader.replica).unwrap();
        if trouble == Trouble::ClockSet {
            let hours = if round % 2 == 0 { 10 } else { -10 };
            nobody_takes_over_for_wrong_times(server, &mut history, leader.term, hours).await;
        }
        let begin = Instant::now();
        let next = match trouble {
            Trouble::Ended => {
                old.program.ended_by_sigterm().await;
                history.after(Some(leader.term)).await
            }
            Trouble::Killed | Trouble::ClockSet => {
                old.program.signal("KILL");
                history.after(Some(leader.term)).await
            }
            Trouble::Stopped => {
                old.program.signal("STOP");
                let next = history.after(Some(leader.term)).await;
                old.program.signal("CONT");
                old.program.fails_with("the leadership of term").await;
                next
            }
            Trouble::CutOff | Trouble::LeaseLost => {
                old.relay.cut(if trouble == Trouble::CutOff { Cut::Everything } else { Cut::Leases });
                let next = history.after(Some(leader.term)).await;
                old.relay.cut(Cut::Nothing);
                old.program.fails_with("the leadership of term").await;
                next
            }
        };
        let heir = &mut replicas.get_mut(&next.replica).unwrap().program;
        let led = heir.until(&format!("leads in term {}", next.term)).await;
        let seen = seen.entry(trouble).or_default();
        seen.won.push(led.saturating_duration_since(begin));
        seen.wrote.push(next.at - begin);
        seen.late += history.late(server).await;
        seen.sent += sent_after_the_end(&old.relay, begin);
        leader = next;
        let name = format!("replica-{}", round + 2);
        replicas.insert(name.clone(), Replica::start(server, &name).await);
    }
    for (trouble, mut seen) in seen {
        let (count, won, wrote) = (seen.won.len(), told(&mut seen.won), told(&mut seen.wrote));
        let Seen { sent, late, .. } = seen;
        eprintln!(
            "{trouble:?}, {count} times: Lease of {LEASE_SECONDS} s won after {won}, first write after {wrote}; writes of the old \
             term: {sent} sent after its end, {late} came after the first of the new one"
        );
        // What a process was about to send when it was stopped may come late; nothing else may.
        assert!(
            trouble == Trouble::Stopped || (sent, late) == (0, 0),
            "{trouble:?}: {sent} sent, {late} late"
        );
    }
    for replica in replicas.into_values() {
        replica.program.ended_by_sigterm().await;
    }
}

/// For as long as a Lease lasts its times are wrong, whenever anybody looks at it, and the leader leads.
async fn nobody_takes_over_for_wrong_times(server: &Server, history: &mut History, term: u64, hours: i64) {
    let end = Instant::now() + Duration::from_secs(LEASE_SECONDS);
    while Instant::now() < end {
        let time = Timestamp::now() + SignedDuration::from_hours(hours);
        let time = time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string();
        let spec = json!({ "spec": { "renewTime": time, "acquireTime": time } });
        server.patch::<Lease>("leader-example", spec).await;
        for _ in 0..5 {
            assert_eq!(history.next().await.term, term, "the times in a Lease are for people");
        }
    }
}

/// How many writes to the ConfigMap have come from a replica since its leadership ended: with the release of the Lease, or if there
/// was none, when the last renewal that was sent before the trouble did not hold any more. A later one was not answered.
fn sent_after_the_end(relay: &Relay, trouble: Instant) -> usize {
    let sent = relay.sent();
    let renewals = || sent.iter().filter(|it| it.line.contains("/leases") && !it.line.starts_with("GET"));
    let released = renewals().find(|it| !it.body.contains("holderIdentity"));
    let end = match released {
        Some(released) => released.at,
        None => {
            let last = renewals().rfind(|it| it.at <= trouble).expect("it has led");
            last.at + RENEW_DEADLINE + TOLERANCE
        }
    };
    let is_late =
        |it: &&Sent| it.line.starts_with("PATCH") && it.line.contains("/configmaps/") && it.at > end;
    sent.iter().filter(is_late).count()
}

/// What was seen of one sort of trouble.
#[derive(Default)]
struct Seen {
    won: Vec<Duration>,
    wrote: Vec<Duration>,
    /// Writes of the old term that its relay saw after its end.
    sent: usize,
    /// Writes of the old term that the server took after the first one of the new term.
    late: usize,
}

/// The least, the median and the most.
fn told(times: &mut [Duration]) -> String {
    times.sort();
    format!("{:.2?} / {:.2?} / {:.2?}", times[0], times[times.len() / 2], times[times.len() - 1])
}

//! Elections on the embedded server, on paused time.

#![allow(clippy::unwrap_used)]

mod controllers;

use std::convert::Infallible;
use std::future::{Future, pending};
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, RecordedRequest, ServerFault, Verb};
use informer_controller::election::{ElectionError, Led, TokioClock};
use informer_controller::{Election, Leadership};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

const SECOND: Duration = Duration::from_secs(1);
/// Nothing here takes longer; on a paused clock it costs nothing.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

fn election(server: &EmbeddedApiserver, replica: &str) -> Election {
    Election::new(server.client(), "default", "it").identity(replica).clock(TokioClock::default())
}

async fn lease(server: &EmbeddedApiserver) -> LeaseSpec {
    let api: Api<Lease> = Api::namespaced(server.quiet_client(), "default");
    api.get("it").await.unwrap().spec.unwrap()
}

fn writes_lease(request: &RecordedRequest) -> bool {
    request.resource.starts_with("leases") && matches!(request.verb, Some(Verb::Create | Verb::Update))
}

async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}

/// A replica whose work is to wait until it is told to end.
struct Replica {
    stop: Option<oneshot::Sender<()>>,
    leads: Option<oneshot::Receiver<Leadership>>,
    task: JoinHandle<Result<Option<Led<()>>, ElectionError>>,
}

impl Replica {
    fn start(election: Election) -> Self {
        Self::working(election, |leadership| async move {
            leadership.ended().await;
            Ok(())
        })
    }

    fn working<F, W>(election: Election, work: F) -> Self
    where
        F: FnOnce(Leadership) -> W + Send + 'static,
        W: Future<Output = Result<(), Infallible>> + Send + 'static,
    {
        let (stop, stopped) = oneshot::channel::<()>();
        let (sender, leads) = oneshot::channel();
        let run = election.run(async move { drop(stopped.await) }, move |leadership| {
            sender.send(leadership.clone()).ok();
            work(leadership)
        });
        Self { stop: Some(stop), leads: Some(leads), task: tokio::spawn(run) }
    }

    async fn leads(&mut self) -> Leadership {
        timeout(PATIENCE, self.leads.take().unwrap()).await.expect("it leads").unwrap()
    }

    async fn stop(mut self) -> Result<Option<Led<()>>, ElectionError> {
        drop(self.stop.take());
        self.ends().await
    }

    async fn ends(&mut self) -> Result<Option<Led<()>>, ElectionError> {
        timeout(PATIENCE, &mut self.task).await.expect("it ends").unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn one_of_two_leads_and_the_other_takes_over_at_once_when_it_ends() {
    let server = EmbeddedApiserver::new();
    let mut first = Replica::start(election(&server, "first"));
    let leadership = first.leads().await;
    assert!(leadership.is_valid() && leadership.term() == 0);
    let mut second = Replica::start(election(&server, "second"));
    pass(100 * SECOND).await;
    assert!(leadership.is_valid() && lease(&server).await.holder_identity.unwrap().starts_with("first_"));
    // It renews every two seconds, and the watch spares the other one all questions.
    let began = server.journal().count(|_| true);
    pass(100 * SECOND).await;
    let since = &server.journal().requests()[began..];
    let renewals = since.iter().filter(|request| writes_lease(request)).count();
    assert!((48..=50).contains(&renewals), "{renewals}");
    assert!(since.iter().filter(|request| request.verb == Some(Verb::Get)).count() <= 2);

    let ended = Instant::now();
    assert!(matches!(first.stop().await, Ok(Some(Led { is_released: true, .. }))));
    assert!(!leadership.is_valid());
    let next = second.leads().await;
    assert!(next.term() == 1 && ended.elapsed() < Duration::from_millis(100), "{:?}", ended.elapsed());
    assert!(matches!(second.stop().await, Ok(Some(Led { is_released: true, .. }))));
    let left = lease(&server).await;
    assert_eq!(
        (left.holder_identity, left.lease_duration_seconds, left.lease_transitions),
        (None, Some(1), Some(1))
    );
}

#[tokio::test(start_paused = true)]
async fn who_dies_without_a_word_is_waited_for() {
    let server = EmbeddedApiserver::new();
    let mut first = Replica::start(election(&server, "first"));
    first.leads().await;
    let mut second = Replica::start(election(&server, "second"));
    pass(9 * SECOND).await;
    first.task.abort();
    let died = Instant::now();
    assert_eq!(second.leads().await.term(), 1);
    let took = died.elapsed();
    assert!(13 * SECOND <= took && took < 16 * SECOND, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_watch_a_released_lease_is_taken_over_in_seconds() {
    let server = EmbeddedApiserver::new();
    for verb in [Verb::List, Verb::Watch] {
        server.inject(ServerFault::forbidden().on(verb).resource("leases.coordination.k8s.io"));
    }
    let mut first = Replica::start(election(&server, "first"));
    first.leads().await;
    let mut second = Replica::start(election(&server, "second"));
    pass(20 * SECOND).await;
    let ended = Instant::now();
    first.stop().await.unwrap();
    second.leads().await;
    assert!(ended.elapsed() <= 5 * SECOND, "{:?}", ended.elapsed());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_renewed_is_lost_ten_seconds_after_the_last_renewal_was_sent() {
    let server = EmbeddedApiserver::new();
    let mut replica = Replica::start(election(&server, "it"));
    let leadership = replica.leads().await;
    pass(5 * SECOND).await;
    let sent = server.journal().matching(writes_lease).last().unwrap().at;
    server.inject(ServerFault::stall().resource("leases.coordination.k8s.io"));
    leadership.lost().await;
    let took = sent.elapsed();
    assert!(10 * SECOND <= took && took < 10 * SECOND + Duration::from_millis(50), "{took:?}");
    assert!(!leadership.is_valid());
    assert!(leadership.confirm().await.is_err());
    let error = replica.ends().await.unwrap_err();
    assert_eq!(error.to_string(), "default/it: the leadership of term 0 is lost");
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_makes_nothing_last_longer() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::delay(4 * SECOND).resource("leases.coordination.k8s.io").on(Verb::Update));
    let mut replica = Replica::start(election(&server, "it"));
    let leadership = replica.leads().await;
    pass(60 * SECOND).await;
    assert!(leadership.is_valid());
    let sent =
        server.journal().matching(writes_lease).iter().rev().find(|it| it.status.is_some()).unwrap().at;
    server.inject(ServerFault::stall().resource("leases.coordination.k8s.io"));
    leadership.lost().await;
    assert!(sent.elapsed() < 15 * SECOND, "{:?}", sent.elapsed());
}

#[tokio::test(start_paused = true)]
async fn work_that_does_not_end_or_fails_releases_nothing() {
    let server = EmbeddedApiserver::new();
    let election_of = || election(&server, "it").drain(5 * SECOND);
    let mut stuck = Replica::working(election_of(), |_| pending());
    let leadership = stuck.leads().await;
    let error = stuck.stop().await.unwrap_err();
    assert!(matches!(error, ElectionError::NotDrained { .. }), "{error}");
    assert!(!leadership.is_valid());
    assert!(lease(&server).await.holder_identity.is_some());

    let failing = election_of().run(pending(), |_| async { Err::<(), _>("out of paper") });
    let error = failing.await.unwrap_err();
    assert!(error.to_string().contains("out of paper"), "{error}");
    assert!(lease(&server).await.holder_identity.is_some());
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_held_until_the_work_has_ended() {
    let server = EmbeddedApiserver::new();
    let mut replica = Replica::working(election(&server, "it"), |leadership| async move {
        leadership.ended().await;
        pass(30 * SECOND).await;
        assert!(leadership.is_valid(), "it is renewed while the work ends");
        Ok(())
    });
    replica.leads().await;
    let ended = Instant::now();
    replica.stop().await.unwrap();
    assert!(ended.elapsed() >= 30 * SECOND);
    assert!(lease(&server).await.holder_identity.is_none());
}

#[tokio::test(start_paused = true)]
async fn who_is_no_leader_ends_without_work_and_gives_back_what_it_wins_meanwhile() {
    let server = EmbeddedApiserver::new();
    let mut first = Replica::start(election(&server, "first"));
    first.leads().await;
    let second = Replica::working(election(&server, "second"), |_| async { panic!("it does not lead") });
    pass(10 * SECOND).await;
    assert!(matches!(second.stop().await, Ok(None)));
    first.stop().await.unwrap();

    // Told to stop while it asks for the Lease, which it gets.
    let late =
        server.inject(ServerFault::delay(3 * SECOND).resource("leases.coordination.k8s.io").on(Verb::Update));
    let third = Replica::working(election(&server, "third"), |_| async { panic!("it does not lead") });
    late.until_struck(1).await;
    assert!(matches!(third.stop().await, Ok(None)));
    let left = lease(&server).await;
    assert_eq!((left.holder_identity, left.lease_transitions), (None, Some(1)));
}

#[tokio::test(start_paused = true)]
async fn to_confirm_asks_the_server() {
    let server = EmbeddedApiserver::new();
    let mut replica = Replica::start(election(&server, "it"));
    let leadership = replica.leads().await;
    let before = server.journal().count(writes_lease);
    leadership.confirm().await.unwrap();
    assert_eq!(server.journal().count(writes_lease), before + 1);
    // Somebody else has the Lease, and the watch has not shown it.
    server.inject(ServerFault::stall().on(Verb::Watch).resource("leases.coordination.k8s.io"));
    let api: Api<Lease> = Api::namespaced(server.quiet_client(), "default");
    let patch = Patch::Merge(json!({ "spec": { "holderIdentity": "somebody" } }));
    api.patch("it", &PatchParams::default(), &patch).await.unwrap();
    assert!(leadership.confirm().await.is_err());
    assert!(matches!(replica.ends().await, Err(ElectionError::Lost { .. })));
}

#[tokio::test(start_paused = true)]
async fn b_586_labels_of_others_stay_and_a_deleted_lease_ends_the_leadership() {
    let server = EmbeddedApiserver::new();
    let mut replica = Replica::start(election(&server, "it"));
    let leadership = replica.leads().await;
    let api: Api<Lease> = Api::namespaced(server.quiet_client(), "default");
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "a": "b" } } }));
    api.patch("it", &PatchParams::default(), &patch).await.unwrap();
    pass(20 * SECOND).await;
    assert!(leadership.is_valid());
    assert_eq!(api.get("it").await.unwrap().metadata.labels.unwrap()["a"], "b");
    api.delete("it", &DeleteParams::default()).await.unwrap();
    assert!(matches!(replica.ends().await, Err(ElectionError::Lost { .. })));
}

#[tokio::test(start_paused = true)]
async fn whoever_drops_an_election_leads_no_more() {
    let server = EmbeddedApiserver::new();
    let mut replica = Replica::start(election(&server, "it"));
    let leadership = replica.leads().await;
    replica.task.abort();
    timeout(SECOND, leadership.lost()).await.unwrap();
    assert!(!leadership.is_valid());
}

#[tokio::test(start_paused = true)]
async fn metrics_say_who_leads() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let leads = || {
        let all = snapshotter.snapshot().into_vec();
        let found = all.into_iter().find(|(key, ..)| key.key().name() == "leader_election_master_status");
        match found.expect("there is one").3 {
            DebugValue::Gauge(value) => value.into_inner() > 0.0,
            other => panic!("{other:?}"),
        }
    };
    let server = EmbeddedApiserver::new();
    let mut replica = Replica::start(election(&server, "it"));
    replica.leads().await;
    assert!(leads());
    replica.stop().await.unwrap();
    assert!(!leads());
}

/// Nothing of it can be had until somebody creates the namespace, which may be at any time.
#[tokio::test(start_paused = true)]
async fn an_election_without_its_namespace_says_so_and_does_not_ask_all_the_time() {
    let server = EmbeddedApiserver::new();
    let missing = ServerFault::status(404).on(Verb::Create).resource("leases.coordination.k8s.io");
    let missing = server.inject(missing);
    let election = election(&server, "it");
    let status = election.status();
    assert_eq!((status().is_leader, status().trouble), (false, None));
    let mut replica = Replica::start(election);
    pass(300 * SECOND).await;
    let sent = server.journal().count(|request| request.resource.starts_with("leases"));
    // The rest is its watch, which is silent.
    assert!((10..=15).contains(&missing.struck()) && sent <= 40, "{} of {sent}", missing.struck());
    let trouble = status().trouble.unwrap();
    assert!(trouble.starts_with("the Lease cannot be created in namespace default: "), "{trouble}");
    server.clear_faults();
    let begin = Instant::now();
    replica.leads().await;
    assert!(begin.elapsed() <= 30 * SECOND, "{:?}", begin.elapsed());
    let status = status();
    assert_eq!((status.is_leader, status.term, status.trouble), (true, Some(0), None));
    replica.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_end_in_order_says_whether_the_lease_was_released() {
    for is_away in [false, true] {
        let server = EmbeddedApiserver::new();
        let election = election(&server, "it");
        let status = election.status();
        let mut replica = Replica::start(election);
        replica.leads().await;
        if is_away {
            server.inject(ServerFault::status(503).on(Verb::Update).resource("leases.coordination.k8s.io"));
        }
        let led = replica.stop().await.unwrap().unwrap();
        assert_eq!(led.is_released, !is_away);
        assert_eq!(lease(&server).await.holder_identity.is_some(), is_away);
        assert_eq!(
            (status().is_leader, status().term, status().trouble.is_some()),
            (false, Some(0), is_away)
        );
    }
}

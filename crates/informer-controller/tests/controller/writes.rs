//! Own writes: read in the run that wrote them, and waited for before the next one.

use embedded_apiserver::{RecordedRequest, ServerFault, Verb};
use kube_informer::SharedInformer;

use super::*;

/// A controller of ReplicaSets that may write pods.
pub(super) fn controller(rig: &Rig) -> (Controller<ReplicaSet>, SharedInformer<Pod>) {
    let pods = rig.factory.core().v1().pods().informer();
    let controller = Controller::new("sets", rig.factory.apps().v1().replica_sets().informer())
        .client(rig.server.client())
        .owns(pods.clone());
    (controller, pods)
}

/// A server whose watches of pods bring nothing: what there is comes by LIST, and nothing after it.
pub(super) fn blocked() -> Rig {
    let rig = Rig::on(EmbeddedApiserver::builder().streaming_lists(false).build());
    rig.server.inject(ServerFault::stall_after(0).on(Verb::Watch).resource("pods"));
    rig
}

/// Nor can the informer ask for a single object.
pub(super) fn blocked_for_good() -> Rig {
    let rig = blocked();
    let is_look = |request: &RecordedRequest| request.parameter("fieldSelector").is_some();
    rig.server.inject(ServerFault::stall().on(Verb::List).resource("pods").when(is_look));
    rig
}

pub(super) fn child(ctx: &Ctx<ReplicaSet>, name: &str) -> Pod {
    let uid = ctx.object().unwrap().uid().to_string();
    let mut pod = pod(name, &owner("apps/v1", "ReplicaSet", ctx.key().name(), &uid));
    pod.metadata.labels = Some([("app".to_owned(), "web".to_owned())].into());
    pod
}

/// A controller that creates a pod whenever it sees none, and counts its runs.
fn creating(
    controller: Controller<ReplicaSet>,
    pods: SharedInformer<Pod>,
) -> (Controller<ReplicaSet>, mpsc::UnboundedReceiver<(Duration, usize, bool)>) {
    let (sender, said) = mpsc::unbounded_channel();
    let begin = Instant::now();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods) = (sender.clone(), pods.clone());
        async move {
            let seen = ctx.owned::<Pod>().len();
            sender.send((begin.elapsed(), seen, ctx.is_stale())).ok();
            if seen == 0 && !ctx.is_stale() {
                let mut new = child(&ctx, "");
                (new.metadata.name, new.metadata.generate_name) = (None, Some("pod-".to_owned()));
                ctx.objects(&pods).create(&new).await?;
            }
            Ok(Next::After(SECOND))
        }
    };
    (controller.reconcile(function), said)
}

pub(super) async fn pods_at(rig: &Rig) -> usize {
    rig.api::<Pod>().list(&kube_client::api::ListParams::default()).await.unwrap().items.len()
}

#[tokio::test(start_paused = true)]
async fn the_next_run_waits_until_the_cache_has_seen_what_the_last_one_wrote() {
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (controller, mut said) = creating(controller.patience(PATIENCE), pods);
    let running = rig.run(controller);
    let (_, seen, _) = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    assert_eq!(seen, 0);
    assert!(
        timeout(10 * SECOND, said.recv()).await.is_err(),
        "it is parked, though it was due after a second"
    );
    rig.server.clear_faults();
    let (_, seen, is_stale) = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    assert_eq!((seen, is_stale, pods_at(&rig).await), (1, false, 1));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn after_its_patience_it_runs_and_knows_that_it_is_stale() {
    let rig = blocked_for_good();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let (controller, mut said) = creating(controller.patience(5 * SECOND), pods);
    let running = rig.run(controller);
    let first = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    let second = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    assert_eq!(
        (second.1, second.2, (second.0 - first.0).as_secs()),
        (1, true, 6),
        "it reads what the last one wrote"
    );
    assert_eq!(pods_at(&rig).await, 1);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_was_lost_is_looked_for() {
    let rig = Rig::new();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let lost = rig.server.inject(ServerFault::cut_after_bytes(1).on(Verb::Create).resource("pods").once());
    let (sender, mut said) = mpsc::unbounded_channel();
    let function = move |ctx: Ctx<ReplicaSet>| {
        let (sender, pods) = (sender.clone(), pods.clone());
        async move {
            let seen = ctx.owned::<Pod>().len();
            sender.send((seen, ctx.failures())).ok();
            if seen == 0 {
                ctx.objects(&pods).create(&child(&ctx, "one")).await?;
            }
            Ok(Next::Done)
        }
    };
    let running = rig.run(controller.reconcile(function));
    assert_eq!(timeout(PATIENCE, said.recv()).await.unwrap().unwrap(), (0, 0));
    let next = timeout(PATIENCE, said.recv()).await.unwrap().unwrap();
    assert_eq!((next.0, lost.struck(), pods_at(&rig).await), (1, 1, 1));
    running.stop().await.unwrap();
}

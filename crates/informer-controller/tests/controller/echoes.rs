//! Which events are echoes of own writes: if answers are late or never come, and if informers show more than runs have read.

use embedded_apiserver::{ServerFault, Verb};
use http::{Method, Request};
use http_body_util::BodyExt as _;
use kube_client::Client;
use kube_client::client::Body;
use parking_lot::Mutex;
use tower::Service as _;

use super::writes::{child, controller};
use super::*;

const MOMENT: Duration = Duration::from_millis(10);

/// The bodies of patches.
type Patches = Arc<Mutex<Vec<Value>>>;

/// A client that gets the answers to its writes a moment after watches have brought what they say.
fn late(rig: &Rig, patches: &Patches) -> Client {
    let (service, patches) = (rig.server.service(), patches.clone());
    let pass_on = move |request: Request<Body>| {
        let (mut service, patches) = (service.clone(), patches.clone());
        async move {
            let method = request.method().clone();
            let (head, body) = request.into_parts();
            let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes().to_vec();
            if method == Method::PATCH {
                patches.lock().push(serde_json::from_slice(&body).unwrap_or_default());
            }
            let answer = service.call(Request::from_parts(head, Body::from(body))).await?;
            if method != Method::GET {
                pass(MOMENT).await;
            }
            Ok::<_, std::io::Error>(answer)
        }
    };
    Client::new(tower::service_fn(pass_on), "default")
}

fn annotate(number: usize) -> Patch<Value> {
    Patch::Merge(json!({ "metadata": { "annotations": { "number": number.to_string() } } }))
}

/// 5 ms, 10 ms, 20 ms and so on, and a tenth at random.
#[tokio::test(start_paused = true)]
async fn a_failing_run_that_writes_into_a_child_runs_as_often_as_its_backoff_allows() {
    let rig = Rig::new();
    rig.server.create(&replica_set("set")).await.unwrap();
    let (controller, pods) = controller(&rig);
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let controller = controller.client(late(&rig, &Patches::default())).reconcile(move |ctx| {
        let (number, pods) = (counted.fetch_add(1, Ordering::SeqCst), ctx.objects(&pods));
        async move {
            match ctx.owned::<Pod>().first() {
                Some(pod) => pods.patch(pod.key(), &PatchParams::default(), &annotate(number)).await?,
                None => pods.create(&child(&ctx, "pod")).await?,
            };
            Err(ReconcileError::msg("on purpose"))
        }
    });
    let running = rig.run(controller);
    pass(3 * SECOND).await;
    running.stop().await.unwrap();
    let runs = runs.load(Ordering::SeqCst);
    assert!((8..=11).contains(&runs), "{runs}");
}

/// The number of pods that each run of a controller sees, whose first one writes a pod.
async fn seen(
    rig: &Rig,
    owns: kube_informer::SharedInformer<Pod>,
    through: kube_informer::SharedInformer<Pod>,
) -> Vec<String> {
    rig.server.create(&replica_set("set")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let is_first = Arc::new(AtomicUsize::new(0));
    let controller = Controller::new("sets", rig.factory.apps().v1().replica_sets().informer())
        .owns(owns)
        .reads(through.clone())
        .reconcile(move |ctx| {
            let (sender, is_first, pods) = (sender.clone(), is_first.clone(), ctx.objects(&through));
            async move {
                if is_first.fetch_add(1, Ordering::SeqCst) == 0 {
                    let mut new = child(&ctx, "pod");
                    new.spec.get_or_insert_default().node_name = Some("here".to_owned());
                    pods.create(&new).await?;
                }
                sender.send(ctx.owned::<Pod>().len().to_string()).ok();
                Ok(Next::Done)
            }
        });
    let running = rig.run(controller);
    let all = all(&mut said).await;
    running.stop().await.unwrap();
    all
}

/// Nothing says that both are of one server, so what is written through one is not laid over the other.
#[tokio::test(start_paused = true)]
async fn what_another_factory_of_the_server_shows_later_than_the_run_is_news() {
    let rig = Rig::new();
    let far = SharedInformerFactory::builder(rig.server.client()).build().unwrap();
    let far_pods = far.core().v1().pods().informer();
    far.start();
    let near_pods = rig.factory.core().v1().pods().informer();
    assert_eq!(seen(&rig, far_pods, near_pods).await, ["0", "1"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_left_out_of_lists_because_of_a_field_selector_is_news() {
    let mut rig = Rig::new();
    let factory = SharedInformerFactory::builder(rig.server.client())
        .kind::<Pod>(|pods| pods.fields("spec.nodeName=here"));
    rig.factory = factory.build().unwrap();
    let pods = rig.factory.core().v1().pods().informer();
    assert_eq!(seen(&rig, pods.clone(), pods).await, ["0", "1"]);
}

#[tokio::test(start_paused = true)]
async fn events_wait_half_a_minute_for_an_answer_that_does_not_come() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.inject(ServerFault::stall().on(Verb::Patch));
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer());
    let running = rig.run(controller.patience(SECOND).reconcile(move |ctx| {
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            let maps = ctx.objects(ctx.informer());
            tokio::spawn(async move { maps.patch(ctx.key(), &PatchParams::default(), &annotate(1)).await });
        }
        std::future::ready(Ok(Next::Done))
    }));
    pass(SECOND).await;
    let theirs = Api::<ConfigMap>::namespaced(rig.server.quiet_client(), "default");
    theirs.patch("a", &PatchParams::default(), &annotate(2)).await.unwrap();
    pass(20 * SECOND).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1, "it may be what is being written");
    pass(20 * SECOND).await;
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    rig.server.clear_faults();
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_patch_asks_for_a_version_only_where_the_controller_is_told_of_such_objects() {
    for is_told in [false, true] {
        let rig = Rig::new();
        rig.server.create(&config_map("a")).await.unwrap();
        rig.server.create(&pod("one", &json!([]))).await.unwrap();
        let (patches, pods) = (Patches::default(), rig.factory.core().v1().pods().informer());
        let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer());
        let controller = if is_told {
            controller.watches(pods.clone(), |_, _| ())
        } else {
            controller.reads(pods.clone())
        };
        let running = rig.run(controller.client(late(&rig, &patches)).reconcile(move |ctx| {
            let pods = ctx.objects(&pods);
            async move {
                let one = ObjectKey::namespaced("default", "one");
                pods.patch(&one, &PatchParams::default(), &annotate(1)).await?;
                Ok(Next::Done)
            }
        }));
        pass(SECOND).await;
        running.stop().await.unwrap();
        let patches = patches.lock();
        assert_eq!(patches.len(), 1);
        assert_eq!(patches[0]["metadata"]["resourceVersion"].is_string(), is_told);
    }
}

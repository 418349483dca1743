//! When `run` has returned, nothing that was given to a controller is called any more, and nothing keeps it from returning.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc as blocking;

use embedded_apiserver::{ServerFault, Verb};
use metrics_util::debugging::DebuggingRecorder;

use super::*;

const MOMENT: Duration = Duration::from_millis(50);

/// A call that blocks its thread: it says so when it begins, and ends when it is told to.
struct Blocked {
    begun: mpsc::UnboundedReceiver<()>,
    go_on: blocking::Sender<()>,
    has_ended: Arc<AtomicBool>,
}

impl Blocked {
    fn new() -> (impl Fn() + Send + Sync + 'static, Self) {
        let (sender, begun) = mpsc::unbounded_channel();
        let (go_on, told) = blocking::channel();
        let (told, has_ended) = (parking_lot::Mutex::new(told), Arc::new(AtomicBool::new(false)));
        let ended = has_ended.clone();
        let block = move || {
            sender.send(()).ok();
            told.lock().recv().ok();
            ended.store(true, Ordering::SeqCst);
        };
        (block, Self { begun, go_on, has_ended })
    }

    async fn begun(&mut self) {
        timeout(PATIENCE, self.begun.recv()).await.expect("it is called").unwrap();
    }

    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_function_that_blocks_its_thread_does_not_keep_it_from_ending() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (block, mut blocked) = Blocked::new();
    let maps = rig.factory.core().v1().config_maps().informer();
    let controller = Controller::new("maps", maps).drain(MOMENT).reconcile(move |_| {
        block();
        std::future::ready(Ok(Next::Done))
    });
    let running = rig.run(controller);
    blocked.begun().await;
    let error = running.stop().await.unwrap_err();
    assert!(matches!(error, ControllerError::NotDrained { .. }), "{error}");
    assert!(!blocked.has_ended());
    blocked.go_on.send(()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_says_which_objects_to_reconcile_has_ended_when_it_returns() {
    let rig = Rig::new();
    let (block, mut blocked) = Blocked::new();
    let (maps, pods) = (rig.factory.core().v1().config_maps().informer(), rig.factory.core().v1().pods());
    let controller = Controller::new("maps", maps)
        .watches(pods.informer(), move |_, _| block())
        .reconcile(|_| std::future::ready(Ok(Next::Done)));
    let mut running = rig.run(controller);
    rig.server.create(&pod("one", &json!([]))).await.unwrap();
    blocked.begun().await;
    drop(running.stop.take());
    assert!(timeout(MOMENT, &mut running.task).await.is_err(), "it waits for that call");
    blocked.go_on.send(()).unwrap();
    timeout(PATIENCE, running.task).await.expect("it ends").unwrap().unwrap();
    assert!(blocked.has_ended());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn so_it_has_when_it_returns_an_error_before_it_has_begun() {
    let rig = Rig::new();
    rig.server.inject(ServerFault::stall().on(Verb::Watch).resource("configmaps"));
    rig.server.create(&pod("one", &json!([]))).await.unwrap();
    let (block, mut blocked) = Blocked::new();
    let (maps, pods) = (rig.factory.core().v1().config_maps().informer(), rig.factory.core().v1().pods());
    let controller = Controller::new("maps", maps.clone())
        .watches(pods.informer(), move |_, _| block())
        .reconcile(|_| std::future::ready(Ok(Next::Done)));
    let mut running = rig.run(controller);
    blocked.begun().await;
    maps.shutdown(SECOND).await;
    assert!(timeout(MOMENT, &mut running.task).await.is_err(), "it waits for that call");
    blocked.go_on.send(()).unwrap();
    let error = timeout(PATIENCE, running.task).await.expect("it ends").unwrap().unwrap_err();
    assert!(matches!(error, ControllerError::Stopped { .. }), "{error}");
    assert!(blocked.has_ended());
}

#[tokio::test(start_paused = true)]
async fn two_of_one_name_do_not_share_their_metrics() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let controller = || {
        let maps = rig.factory.core().v1().config_maps().informer();
        let (function, said) = telling();
        (rig.run(Controller::new("two-of-one-name", maps).reconcile(function)), said)
    };
    let (mut first, mut second) = (controller(), controller());
    assert_eq!((next(&mut first.1).await, next(&mut second.1).await), ("a is".to_owned(), "a is".to_owned()));
    first.0.stop().await.unwrap();
    second.0.stop().await.unwrap();
    let all = snapshotter.snapshot().into_vec();
    for (metric, label) in
        [("workqueue_adds_total", "name"), ("controller_runtime_reconcile_total", "controller")]
    {
        let of = all.iter().map(|(key, ..)| key.key()).filter(|key| key.name() == metric);
        let labels = of.flat_map(|key| key.labels()).filter(|it| it.key() == label);
        let names: std::collections::BTreeSet<_> = labels.map(|it| it.value().to_owned()).collect();
        assert!(names.into_iter().eq(["two-of-one-name", "two-of-one-name#2"]), "{metric}");
    }
}

//! Workers go on, and end in time, whatever the function does.

use embedded_apiserver::ServerFault;
use informer_controller::EventRecorder;
use informer_controller::recorder::{Note, RecorderOptions};

use super::*;

/// Panics when it is dropped, as a future may that is given up while it holds something.
struct Fragile;

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("it was given up");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_panics_when_it_is_given_up_takes_no_worker_with_it() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .workers(1)
        .timeout(SECOND)
        .reconcile(move |ctx| {
            let sender = sender.clone();
            async move {
                sender.send(format!("attempt {}", ctx.failures() + 1)).ok();
                if ctx.failures() < 3 {
                    let _held = Fragile;
                    pending::<()>().await;
                }
                Ok(Next::Done)
            }
        });
    let running = rig.run(controller);
    for attempt in 1..=4 {
        assert_eq!(next(&mut said).await, format!("attempt {attempt}"));
    }
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn how_its_queue_is_can_be_asked_while_it_runs() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.create(&config_map("b")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let permits = Arc::new(tokio::sync::Semaphore::new(0));
    let allowed = permits.clone();
    // A name that no other test has: the second of one name in a process gets a number.
    let controller = Controller::new("asked", rig.factory.core().v1().config_maps().informer())
        .workers(1)
        .reconcile(move |ctx| {
            let (sender, allowed) = (sender.clone(), allowed.clone());
            async move {
                sender.send(ctx.key().to_string()).ok();
                drop(allowed.acquire().await);
                Ok(Next::Done)
            }
        });
    let queue = controller.queue_status();
    assert_eq!(queue(), None);
    let running = rig.run(controller);
    let first = next(&mut said).await;
    let other = if first == "default/a" { "default/b" } else { "default/a" };
    let status = queue().expect("it runs");
    assert_eq!((status.name.as_str(), status.due, status.working), ("asked", 1, 1));
    assert_eq!(status.oldest.expect("one waits").0, other);
    permits.add_permits(2);
    next(&mut said).await;
    running.stop().await.unwrap();
    assert_eq!(queue().map(|queue| queue.due + queue.working), Some(0));
}

#[tokio::test(start_paused = true)]
async fn its_queue_counts_what_failed_and_what_was_tried_again() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller =
        Controller::new("maps", rig.factory.core().v1().config_maps().informer()).reconcile(move |ctx| {
            let sender = sender.clone();
            async move {
                sender.send(format!("attempt {}", ctx.failures() + 1)).ok();
                match ctx.failures() {
                    0 => Err(ReconcileError::msg("not yet")),
                    1 => panic!("neither"),
                    _ => Err(ReconcileError::terminal("never")),
                }
            }
        });
    let queue = controller.queue_status();
    let running = rig.run(controller);
    for attempt in 1..=3 {
        assert_eq!(next(&mut said).await, format!("attempt {attempt}"));
    }
    running.stop().await.unwrap();
    let status = queue().expect("it ran");
    assert_eq!((status.runs, status.failures, status.retries), (3, 3, 2), "a terminal error is one, too");
}

#[tokio::test(start_paused = true)]
async fn events_that_the_server_does_not_take_hold_nobody_up() {
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    rig.server.inject(ServerFault::stall().resource("events.events.k8s.io"));
    let recorder = EventRecorder::new(rig.server.client(), "maps", RecorderOptions::default());
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .recorder(recorder)
        .reconcile(move |ctx| {
            ctx.event(Note::normal("Seen", "by somebody"));
            sender.send("told".to_owned()).ok();
            // What has begun is waited for: with the events that is still within what an election waits for.
            async { pending().await }
        });
    let running = rig.run(controller);
    next(&mut said).await;
    let begin = Instant::now();
    let error = running.stop().await.unwrap_err();
    assert!(matches!(error, ControllerError::NotDrained { .. }), "{error}");
    assert!(begin.elapsed() < 30 * SECOND, "{:?}", begin.elapsed());
}

/// Panics when somebody wants to read it.
#[derive(Debug)]
struct Unreadable;

impl std::fmt::Display for Unreadable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("nobody reads this")
    }
}

impl std::error::Error for Unreadable {}

#[tokio::test(start_paused = true)]
async fn an_error_that_panics_when_it_is_printed_takes_no_worker_with_it() {
    // Without somebody who prints it, it is not.
    let _guard = Told::default().listens();
    let rig = Rig::new();
    rig.server.create(&config_map("a")).await.unwrap();
    let (sender, mut said) = mpsc::unbounded_channel();
    let controller = Controller::new("maps", rig.factory.core().v1().config_maps().informer())
        .workers(1)
        .reconcile(move |ctx| {
            sender.send(format!("attempt {}", ctx.failures() + 1)).ok();
            std::future::ready(if ctx.failures() < 3 { Err(Unreadable.into()) } else { Ok(Next::Done) })
        });
    let running = rig.run(controller);
    for attempt in 1..=4 {
        assert_eq!(next(&mut said).await, format!("attempt {attempt}"));
    }
    running.stop().await.unwrap();
}

/// Prints every value of what is logged.
#[derive(Clone, Default)]
pub(super) struct Told(Arc<parking_lot::Mutex<Vec<String>>>);

impl Told {
    /// To what is said in this thread. With a second one beside it: of a single one tracing asks whichever thread comes to a place
    /// first, and remembers that nobody listens there.
    pub(super) fn listens(&self) -> (tracing::subscriber::DefaultGuard, tracing::Dispatch) {
        let beside = tracing::Dispatch::new(Self::default());
        (tracing::subscriber::set_default(self.clone()), beside)
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

impl tracing::Subscriber for Told {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut printed = Printed(String::new());
        event.record(&mut printed);
        self.0.lock().push(printed.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

struct Printed(String);

impl tracing::field::Visit for Printed {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}

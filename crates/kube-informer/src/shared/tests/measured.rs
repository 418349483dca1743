//! What the metrics say, beside client-go's own.

use std::time::Duration;

use super::meter::Meter;
use super::support::{Rig, rest};
use crate::handler::handler;

/// The names of the series of handlers.
fn of_handlers(meter: &Meter) -> Vec<String> {
    meter.names().into_iter().filter(|name| name.contains(",handler=")).collect()
}

#[tokio::test(start_paused = true)]
async fn b_324_the_backlog_of_a_stuck_handler_is_shown_while_it_is_stuck() {
    let ((rig, registration, permits), meter) = Meter::during(|| {
        let rig = Rig::new(&["a/x"]);
        let (_, registration, permits) = rig.listen_stuck();
        (rig, registration, permits)
    });
    let backlog = || meter.of("handler_backlog", ",handler=unnamed");
    assert_eq!(backlog(), 0.0);
    let rig = rig.started().await;
    rest().await;
    assert_eq!(backlog(), 1.0, "the call in progress");
    for key in ["a/x", "a/y", "a/z", "a/z"] {
        rig.put(key, &rig.server.version().to_string());
    }
    rig.settle().await;
    assert_eq!(backlog(), 4.0, "and three keys");
    assert_eq!(registration.stats().backlog, 4);
    permits.add_permits(2);
    rest().await;
    rig.put("a/x", "again");
    rig.settle().await;
    assert_eq!(backlog(), 3.0);
    registration.remove();
    assert_eq!(backlog(), 2.0, "what was taken and not told yet");
    permits.add_permits(10);
    rest().await;
    assert_eq!(backlog(), 0.0, "it is gone");
}

#[tokio::test(start_paused = true)]
async fn b_324_handlers_without_a_name_share_a_series_that_shows_the_sum() {
    let ((rig, handlers), meter) = Meter::during(|| {
        let rig = Rig::new(&["a/x", "a/y"]);
        let handlers = [rig.listen_stuck(), rig.listen_stuck()];
        rig.listen_with(|handler| handler.named("quick"));
        (rig, handlers)
    });
    let rig = rig.started().await;
    rest().await;
    let backlog = || meter.of("handler_backlog", ",handler=unnamed");
    assert_eq!(backlog(), 4.0);
    assert_eq!(meter.of("handler_backlog", ",handler=quick"), 0.0);
    let [(_, first, _), (_, second, permits)] = &handlers;
    first.remove();
    permits.add_permits(10);
    rest().await;
    assert_eq!((second.stats().backlog, second.stats().delivered), (0, 2));
    // One call of the first is still in progress, and the object that was taken with it is not told any more.
    assert_eq!(backlog(), 2.0);
    rig.informer.shutdown(Duration::ZERO).await;
    assert_eq!(backlog(), 0.0);
}

#[tokio::test(start_paused = true)]
async fn streams_that_come_and_go_leave_no_series_behind() {
    let (rig, meter) = Meter::during(|| Rig::new(&["a/x"]));
    let rig = rig.started().await;
    let connect = || {
        meter.measure(|| {
            let stream = rig.informer.stream().unwrap();
            let unnamed = rig.informer.add_event_handler(handler().on_add(|_| {})).unwrap();
            let whole = rig.informer.on_full_state(|_| {}).unwrap();
            (stream, unnamed, whole)
        })
    };
    connect();
    let before = of_handlers(&meter);
    assert_eq!(before.len(), 2, "{before:?}");
    for _ in 0..20 {
        let (stream, unnamed, whole) = connect();
        rig.put("a/x", &rig.server.version().to_string());
        rig.settle().await;
        drop(stream);
        unnamed.remove();
        whole.remove();
    }
    rest().await;
    assert_eq!(of_handlers(&meter), before);
    assert_eq!(meter.of("handler_backlog", ",handler=unnamed"), 0.0);
}

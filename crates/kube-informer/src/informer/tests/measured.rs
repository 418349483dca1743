//! What the metrics say, beside client-go's own.

use std::time::Duration;

use serde_json::json;

use super::support::{Meter, Rig, event_line, rest, wire_map};
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
    assert_eq!(registration.status().backlog, 4);
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
    assert_eq!((second.status().backlog, second.status().delivered), (0, 2));
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
            let whole = rig.informer.add_full_state_handler(|_| {}).unwrap();
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

#[tokio::test(start_paused = true)]
async fn d10_watches_that_are_opened_again_are_counted_by_reason() {
    let (rig, meter) = Meter::during(|| Rig::new(&["a/x"]));
    let rig = rig.started().await;
    let restarts = |reason: &str| meter.of("watch_restarts_total", &format!(",reason={reason}"));
    assert_eq!((restarts("ended"), restarts("transport")), (0.0, 0.0));
    tokio::time::sleep(Duration::from_secs(60)).await;
    rig.server.close_watches();
    rest().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    rig.server.cut_watches();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((restarts("ended"), restarts("transport")), (1.0, 1.0));
    assert_eq!(rig.informer.status().scopes[0].reconnects, 2);
}

#[tokio::test(start_paused = true)]
async fn d10_the_time_of_the_last_event_and_bookmark_is_shown() {
    let (rig, meter) = Meter::during(|| Rig::new(&[]));
    let shown = || ["last_event", "last_bookmark"].map(|of| meter.of(&format!("{of}_timestamp_seconds"), ""));
    assert_eq!(shown(), [0.0, 0.0]);
    let began = crate::metrics::unix_time();
    let rig = rig.started().await;
    let [event, bookmark] = shown();
    assert_eq!(event, 0.0, "a list is no event");
    assert!((began..=crate::metrics::unix_time()).contains(&bookmark), "{bookmark}");
    rig.put("a/x", "");
    rig.settle().await;
    assert!((began..=crate::metrics::unix_time()).contains(&shown()[0]), "{:?}", shown());
}

#[tokio::test(start_paused = true)]
async fn d10_what_is_not_taken_in_is_counted() {
    let (rig, meter) = Meter::during(|| {
        let rig = Rig::with(&["a/x"], |builder| {
            builder.namespace("a").transform(|map| match map.metadata.name.as_deref() {
                Some("refused") => Err("not this one"),
                _ => Ok(()),
            })
        });
        rig.add(handler().typed().on_add(|_| {}));
        rig
    });
    let rig = rig.started().await;
    let count = |name: &str, more: &str| meter.of(name, more);
    assert_eq!(count("unknown_deletes_total", ""), 0.0);
    rig.server.send_raw(event_line("DELETED", &wire_map("nobody", "10")));
    let mut stranger = wire_map("y", "11");
    stranger["metadata"]["namespace"] = json!("b");
    rig.server.send_raw(event_line("ADDED", &stranger));
    rest().await;
    assert_eq!(count("unknown_deletes_total", ""), 1.0);
    assert_eq!(count("outside_scope_total", ""), 1.0);
    assert_eq!(count("failures_total", ",cause=left_out"), 1.0);
    rig.server.send_raw(event_line("ADDED", &wire_map("refused", "12")));
    rest().await;
    assert_eq!(count("failures_total", ",cause=left_out"), 2.0, "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn d10_what_does_not_decode_is_counted() {
    let (rig, meter) = Meter::during(|| {
        let rig = Rig::new(&["a/x"]);
        rig.add(handler().typed().on_add(|_| {}));
        rig
    });
    let rig = rig.started().await;
    let count = || meter.of("failures_total", ",cause=undecodable");
    assert_eq!(count(), 0.0);
    let mut odd = wire_map("odd", "10");
    odd["data"] = json!(5);
    rig.server.send_raw(event_line("ADDED", &odd));
    rest().await;
    // Of the sample that is checked at the start it is one too.
    assert_eq!(count(), 2.0, "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn d10_the_gauges_of_an_informer_that_has_ended_are_zero() {
    let ((rig, stuck), meter) = Meter::during(|| {
        let rig = Rig::new(&["a/x", "a/y"]);
        let (_, stuck, _) = rig.listen_stuck();
        (rig, stuck)
    });
    let gauges = || {
        let names = [
            "objects",
            "synced",
            "queued_items",
            "store_resource_version",
            "last_byte_timestamp_seconds",
            "last_event_timestamp_seconds",
            "last_bookmark_timestamp_seconds",
        ];
        let mut gauges: Vec<_> = names.iter().map(|name| meter.of(name, "")).collect();
        gauges.push(meter.of("handler_backlog", ",handler=unnamed"));
        gauges
    };
    let (stop, running) = rig.start_until();
    rig.synced().await;
    rig.put("a/x", "new");
    rig.settle().await;
    let before = gauges();
    assert_eq!(before[..4], [2.0, 1.0, 0.0, 4.0]);
    assert!(before[4..].iter().all(|gauge| *gauge > 0.0), "{before:?}");
    drop(stop);
    running.await.unwrap();
    rest().await;
    assert_eq!(gauges(), [0.0; 8]);
    assert_eq!(
        (rig.informer.lister().len(), rig.informer.has_synced()),
        (2, true),
        "what it is stays readable"
    );
    drop(stuck);

    let (rig, meter) = Meter::during(|| Rig::new(&["a/x"]));
    let running = rig.start();
    rig.synced().await;
    assert_eq!(meter.of("objects", ""), 1.0);
    running.abort();
    running.await.unwrap_err();
    assert_eq!(meter.of("objects", ""), 0.0, "also if its future is dropped");
}

/// What the gauges of an informer with this name show: objects, synced, version.
fn shown(meter: &Meter, name: &str) -> [f64; 3] {
    ["objects", "synced", "store_resource_version"].map(|gauge| meter.of_informer(name, gauge))
}

#[tokio::test(start_paused = true)]
async fn b_302_two_informers_of_one_name_have_series_of_their_own() {
    let meter = Meter::default();
    let (one, two) = meter.measure(|| (Rig::new(&["a/x", "a/y"]), Rig::new(&["a/z"])));
    let (one, two) = (one.started().await, two.started().await);
    assert_eq!(shown(&meter, "configmaps"), [2.0, 1.0, 3.0]);
    assert_eq!(shown(&meter, "configmaps-2"), [1.0, 1.0, 2.0]);
    two.put("a/w", "");
    two.settle().await;
    one.informer.shutdown(Duration::ZERO).await;
    assert_eq!(shown(&meter, "configmaps"), [0.0, 0.0, 0.0]);
    assert_eq!(shown(&meter, "configmaps-2"), [2.0, 1.0, 3.0], "the other's end is not its end");

    // Its name is free again, however many come and go.
    let before = meter.names();
    for _ in 0..20 {
        let next = meter.measure(|| Rig::new(&["a/v"])).started().await;
        assert_eq!(shown(&meter, "configmaps"), [1.0, 1.0, 2.0]);
        next.informer.shutdown(Duration::ZERO).await;
        drop(meter.measure(|| Rig::new(&[])));
    }
    assert_eq!(meter.names(), before);
}

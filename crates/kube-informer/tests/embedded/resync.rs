//! Hearing of every object again, which costs the server nothing.

use std::sync::Arc;

use embedded_apiserver::EmbeddedApiserver;
use kube_informer::{Event, handler};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::support::{PATIENCE, Rig, SECOND, config_map, exact, pass};

#[tokio::test(start_paused = true)]
async fn b_276_b_280_each_handler_resyncs_at_its_own_time_and_asks_nobody() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    let rig = Rig::start(server, exact());
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    let start = Instant::now();
    let heard = [10, 25].map(|seconds| {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = heard.clone();
        let handler = handler().resync(SECOND * seconds).on_event(move |event| {
            if matches!(event, Event::Updated { resync: true, .. }) {
                log.lock().push(start.elapsed().as_secs());
            }
        });
        rig.informer.add_event_handler(handler).unwrap();
        heard
    });
    pass(59 * SECOND).await;
    assert_eq!(*heard[0].lock(), [10, 20, 30, 40, 50]);
    assert_eq!(*heard[1].lock(), [25, 50]);
    assert_eq!(rig.requests().len(), 1, "the streamed list, which goes on as the watch");
}

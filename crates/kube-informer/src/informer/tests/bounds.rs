//! What stays small however much happens.

use crate::options::Options;
use crate::source::StreamingList;
use crate::source::Verb;

use super::support::Rig;

/// `INFORMER_UPDATES=1000000` for the large run; the default is what a test may take.
fn updates() -> usize {
    std::env::var("INFORMER_UPDATES").ok().and_then(|text| text.parse().ok()).unwrap_or(50_000)
}

#[tokio::test(start_paused = true)]
async fn b_324_a_stuck_handler_keeps_at_most_two_versions_of_a_key_alive() {
    const KEYS: usize = 1_000;
    let rig = Rig::new(&[]);
    let (listener, registration, permits) = rig.listen_stuck();
    let rig = rig.started().await;
    let mut most = 0;
    for update in 0..updates() {
        rig.put(&format!("a/{}", update % KEYS), &update.to_string());
        if update % KEYS == KEYS - 1 {
            rig.server.compact();
            rig.settle().await;
            most = most.max(rig.informer.status().versions_alive);
        }
    }
    // The runner has taken one batch out of the mailbox, which holds on to the versions it had then.
    assert!(most <= 2 * KEYS + 2 * 32, "{most} versions of {KEYS} keys");
    assert!(registration.status().backlog <= KEYS + 32);
    permits.add_permits(updates());
    rig.settle().await;
    listener.check();
    assert_eq!((listener.believes().len(), rig.informer.status().versions_alive), (KEYS, KEYS));
}

#[tokio::test(start_paused = true)]
async fn b_320_a_hundred_handlers_are_one_list_and_one_watch() {
    let settings = Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never));
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| settings));
    let mut listeners: Vec<_> = (0..50).map(|_| rig.listen().0).collect();
    let rig = rig.started().await;
    listeners.extend((0..50).map(|_| rig.listen().0));
    rig.put("a/x", "1");
    rig.settle().await;
    let requests = rig.server.requests();
    assert!(matches!(requests[0].verb, Verb::List(_)) && matches!(requests[1].verb, Verb::Watch(_)));
    assert_eq!((requests.len(), rig.server.open_watches()), (2, 1));
    assert!(listeners.iter().all(|listener| listener.believes() == [("a/x".into(), "3".into())]));
}

#[tokio::test(start_paused = true)]
async fn b_320_with_a_streamed_list_a_hundred_handlers_are_a_single_request() {
    let rig = Rig::new(&["a/x"]);
    for _ in 0..100 {
        rig.listen();
    }
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(rig.server.requests().len(), 1);
}

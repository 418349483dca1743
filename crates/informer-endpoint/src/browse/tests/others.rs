//! Who looks takes nothing from the handlers of the program.

use futures::FutureExt as _;
use kube_informer::async_handler;
use tokio::sync::Notify;

use super::*;

/// The informer waits for the handler that has the exclusive place, and for no other.
#[tokio::test(start_paused = true)]
async fn a_viewer_does_not_take_the_exclusive_place() {
    let server = ScriptedSource::of::<ConfigMap>();
    let informer = SharedInformer::<ConfigMap>::builder(server.clone()).exclusive().build().unwrap();
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let streams = ["changes?informer=0", "object?informer=0&namespace=shop&name=x"];
    let viewing = streams.map(|path| ask(&endpoint, &format!("/debug/objects/{path}"), None));
    assert!(viewing.iter().all(|answer| answer.status() == 200));
    let go = Arc::new(Notify::new());
    let waits = go.clone();
    let first = async_handler(move |_| {
        let waits = waits.clone();
        async move { waits.notified().await }
    });
    informer.add_event_handler(first.named("program")).unwrap();
    run(informer.clone()).await;
    put(&server, "x", "one");
    // Not in one commit.
    tokio::time::sleep(Duration::from_secs(1)).await;
    put(&server, "y", "one");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(informer.lister().len(), 1, "it waits for the handler of the program");
    go.notify_one();
    informer.wait_progress(&informer.progress(), Duration::from_secs(1)).await.ok();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(informer.lister().len(), 2);
    drop(viewing);
}

#[tokio::test(start_paused = true)]
async fn a_viewer_of_one_object_gives_way_between_its_changes() {
    let server = ScriptedSource::of::<ConfigMap>();
    put(&server, "x", "0");
    let informer = maps(&server).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let mut view = events_of(ask(&endpoint, "/debug/objects/object?informer=0&namespace=shop&name=x", None));
    view.next().await.unwrap();
    for number in 1..=5 {
        put(&server, "x", &number.to_string());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    for change in 1..=5 {
        assert!(view.next().now_or_never().is_none(), "after change {change} others have their turn");
    }
    let told = parsed(&view.next().now_or_never().expect("all are compared").unwrap());
    assert_eq!(told["changes"].as_array().unwrap().len(), 5);
}

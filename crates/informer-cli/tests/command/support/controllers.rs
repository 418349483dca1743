//! A program with informers and the queues of controllers, within the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use informer_endpoint::{Endpoint, Listening, QueueStatus};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_informer::SharedInformer;

use kube_informer::testing::ScriptedSource;
use serde_json::json;

/// Serves it until it is dropped. Whenever it is looked at, more has been done.
pub(crate) async fn controllers() -> Listening {
    let (pods, sets) = (ScriptedSource::of::<Pod>(), ScriptedSource::of::<ReplicaSet>());
    for number in 0..34 {
        let object = json!({ "metadata": { "name": format!("web-{number:05}"), "namespace": "shop" } });
        if number < 10 {
            sets.put_json(object.clone()).expect("an object");
        }
        pods.put_json(object).expect("an object");
    }
    let pods = SharedInformer::<Pod>::builder(pods).build().expect("an informer");
    let sets = SharedInformer::<ReplicaSet>::builder(sets).build().expect("another one");
    run(&pods).await;
    run(&sets).await;
    let looks = Arc::new(AtomicU64::new(0));
    let queues = move || {
        let looks = looks.fetch_add(1, Ordering::Relaxed);
        let queue = |name: &str, due, runs, failures| QueueStatus {
            name: name.to_owned(),
            due,
            later: 1,
            working: 2,
            oldest: (due > 0).then(|| ("shop/web-00017".to_owned(), Duration::from_millis(40))),
            longest_running: Some(Duration::from_millis(2_500)),
            runs: runs * looks,
            failures: failures * looks,
            retries: 2 * failures * looks,
        };
        vec![queue("endpoints", 1, 9, 0), queue("replicaset", 7, 24, 1), queue("garbage-collector", 0, 3, 0)]
    };
    let statuses = move || vec![pods.status(), sets.status()];
    let listening = Endpoint::new(statuses).queues(queues).listen(([127, 0, 0, 1], 0).into()).await;
    listening.expect("a free port")
}

/// Runs an informer until its test ends, and waits until its cache is filled.
async fn run<K: Send + Sync + 'static>(informer: &SharedInformer<K>) {
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(60)).await.expect("its cache is filled");
}

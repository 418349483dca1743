use std::future::pending;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_informer::async_handler;
use kube_informer::testing::ScriptedSource;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::*;
use crate::queue::QueueOptions;

const PATIENCE: Duration = Duration::from_secs(600);

fn put(source: &ScriptedSource, name: &str, text: &str) {
    let metadata = json!({ "name": name, "namespace": "default", "uid": name, "labels": { "is": text } });
    source.put_json(json!({ "metadata": metadata })).unwrap();
}

async fn informer<K>(source: &ScriptedSource) -> SharedInformer<K>
where
    K: kube_informer::Kind<Dynamic = ()> + DeserializeOwned + Send + Sync + 'static,
{
    let informer = SharedInformer::builder(source.clone()).build().unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(pending()).await });
    informer.wait_synced(PATIENCE).await.unwrap();
    informer
}

/// The names of what is due, once nothing more becomes so.
async fn due(queue: &WorkQueue<ObjectKey>) -> Vec<String> {
    let mut names = Vec::new();
    while let Ok(Some(work)) = timeout(Duration::from_secs(5), queue.next()).await {
        names.push(work.item().name().to_owned());
        work.done();
    }
    names.sort();
    names
}

#[tokio::test(start_paused = true)]
async fn whoever_falls_behind_adds_all_objects_when_it_has_caught_up() {
    let (maps, pods) = (ScriptedSource::of::<ConfigMap>(), ScriptedSource::of::<Pod>());
    put(&maps, "a", "here");
    put(&maps, "b", "here");
    for events in [1000, 10] {
        (0..100).for_each(|number| put(&pods, &format!("p-{number}"), "before"));
        let (all, others) = (informer::<ConfigMap>(&maps).await, informer::<Pod>(&pods).await);
        let queue = WorkQueue::new("test", QueueOptions::default());
        let (controller, behind, echoes) = ("test".into(), Arc::default(), Echoes::default());
        let into = Keys { controller, queue: queue.clone(), behind, echoes, events };
        // These pods lead to nothing.
        let registered = [Other::new(others, |_, _| {}).register(&into).unwrap().unwrap()];
        registered[0].wait_synced(PATIENCE).await.unwrap();
        tokio::spawn(async move { into.behind.watch(&registered, &all, &into).await });
        assert!(due(&queue).await.is_empty());
        // All of them come with one list, and so at once.
        pods.close_watches();
        (0..100).for_each(|number| put(&pods, &format!("p-{number}"), "after"));
        pods.compact();
        let expected: &[&str] = if events < 100 { &["a", "b"] } else { &[] };
        assert_eq!(due(&queue).await, expected, "{events} may wait");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_behind_all_the_time_adds_all_objects_when_there_is_quiet() {
    let (maps, pods) = (ScriptedSource::of::<ConfigMap>(), ScriptedSource::of::<Pod>());
    put(&maps, "a", "here");
    put(&maps, "b", "here");
    let (all, others) = (informer::<ConfigMap>(&maps).await, informer::<Pod>(&pods).await);
    let queue = WorkQueue::new("test", QueueOptions::default());
    let (controller, behind, echoes) = ("test".into(), Arc::default(), Echoes::default());
    let into = Keys { controller, queue: queue.clone(), behind, echoes, events: 10 };
    // A handler that takes as long for each event as the test says.
    let permits = Arc::new(Semaphore::new(0));
    let (behind, gate) = (into.behind.clone(), permits.clone());
    let slow = async_handler(move |event| {
        if matches!(event, Event::Merged) {
            behind.is_now();
        }
        let gate = gate.clone();
        async move { gate.acquire().await.unwrap().forget() }
    });
    let registered = [others.add_event_handler(slow.every_event(10)).unwrap()];
    let handler = registered[0].clone();
    tokio::spawn(async move { into.behind.watch(&registered, &all, &into).await });
    (0..100).for_each(|number| put(&pods, &format!("p-{number}"), "before"));
    // More calls than are needed for what waits at the beginning, and all the time something new.
    for number in 0..300 {
        put(&pods, &format!("q-{number}"), "meanwhile");
        permits.add_permits(1);
        sleep(Duration::from_millis(1)).await;
        assert!(handler.status().backlog > 32, "more waits than is taken at a time, so merging goes on");
    }
    // Reconciled here, they would miss what is merged from now on.
    due(&queue).await;
    permits.add_permits(1_000);
    assert_eq!(due(&queue).await, ["a", "b"]);
}

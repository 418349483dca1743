//! How far the cache has come, and waiting until it has come further.

use std::time::Duration;

use informer_core::scope::Scope;

use super::support::{Rig, SOON, rest};
use crate::error::WaitError;

#[tokio::test(start_paused = true)]
async fn d11_progress_tells_commits_and_the_version_of_each_scope() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"]));
    let idle = rig.informer.progress();
    assert_eq!((idle.commit(), idle.rewinds()), (0, 0));
    assert!(idle.versions().all(|(_, version)| version.is_empty()));
    let rig = rig.started().await;
    let synced = rig.informer.progress();
    let versions: Vec<_> =
        synced.versions().map(|(scope, version)| (scope.clone(), version.to_string())).collect();
    let expected = ["a", "b"].map(|name| (Scope::namespace(name), "3".to_owned()));
    assert_eq!(versions, expected);
    assert_eq!(synced.commit(), 2);
}

#[tokio::test(start_paused = true)]
async fn d11_progress_can_be_waited_for() {
    let rig = Rig::new(&["a/x"]).started().await;
    let before = rig.informer.progress();
    let wait = rig.informer.wait_progress(&before, SOON);
    let write = async {
        rest().await;
        rig.put("a/x", "1")
    };
    let (after, written) = tokio::join!(wait, write);
    let after = after.unwrap();
    assert_eq!(after.commit(), before.commit() + 1);
    assert_eq!(after.versions().next().unwrap().1, &written);
    assert_eq!(
        rig.informer.wait_progress(&before, Duration::ZERO).await.unwrap(),
        after,
        "it is there already"
    );

    let error = rig.informer.wait_progress(&after, Duration::from_secs(5)).await.unwrap_err();
    assert_eq!(error.to_string(), "the cache of configmaps did not go on from commit 2 within 5s");
    let stop = async {
        rest().await;
        rig.informer.shutdown(SOON).await;
    };
    let (error, ()) = tokio::join!(rig.informer.wait_progress(&after, SOON), stop);
    assert!(error.as_ref().is_err_and(WaitError::is_stopped), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn d11_rewinds_are_counted_beyond_the_removal_of_a_namespace() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"])).started().await;
    let backup = rig.server.version();
    rig.put("a/y", "");
    rig.put("b/y", "");
    rig.settle().await;
    rig.server.rewind(&backup);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(rig.informer.progress().rewinds(), 2);
    for (namespace, left) in [("b", 1), ("a", 0)] {
        rig.informer.remove_namespace(namespace).unwrap();
        rig.informer.wait_namespace_removed(namespace, SOON).await.unwrap();
        let progress = rig.informer.progress();
        assert_eq!((progress.rewinds(), progress.versions().len()), (2, left));
    }
}

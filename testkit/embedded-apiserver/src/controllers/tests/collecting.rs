//! Background, foreground and orphan.

use serde_json::json;

use super::{blocked, collecting, create, delete, deleted, left, owner, settle};
use crate::testing::CONFIGMAPS;

#[tokio::test(start_paused = true)]
async fn in_the_background_dependents_follow_their_owner() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let b = create(&server, "b", &[owner(&a)]).await;
    create(&server, "c", &[owner(&b)]).await;
    create(&server, "d", &[]).await;
    let answer = delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    assert_eq!(answer["status"], "Success");
    settle().await;
    assert_eq!(left(&server).await, ["d"]);
    assert_eq!(deleted(&server).await, ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn in_the_foreground_an_owner_waits_for_its_dependents() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let b = create(&server, "b", &[blocked(&a)]).await;
    create(&server, "c", &[blocked(&b)]).await;
    let answer = delete(&server, &format!("{CONFIGMAPS}/a"), "Foreground").await;
    assert_eq!(answer["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert!(answer["metadata"]["deletionTimestamp"].is_string());
    settle().await;
    assert_eq!(deleted(&server).await, ["c", "b", "a"]);
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn only_those_that_block_are_waited_for() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    for (name, reference) in [("blocks", blocked(&a)), ("does-not", owner(&a))] {
        let mut map = super::map(name, &[reference]);
        map["metadata"]["finalizers"] = json!(["example.com/hold"]);
        server.post(CONFIGMAPS, &map).await.of(201);
    }
    delete(&server, &format!("{CONFIGMAPS}/a"), "Foreground").await;
    settle().await;
    assert_eq!(left(&server).await, ["a", "blocks", "does-not"]);
    let free = json!({ "metadata": { "finalizers": null } });
    server.merge(&format!("{CONFIGMAPS}/blocks"), &free).await.of(200);
    settle().await;
    assert_eq!(left(&server).await, ["does-not"]);
    server.merge(&format!("{CONFIGMAPS}/does-not"), &free).await.of(200);
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_owner_need_not_wait_for_what_no_longer_blocks_it() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let mut map = super::map("b", &[blocked(&a)]);
    map["metadata"]["finalizers"] = json!(["example.com/hold"]);
    server.post(CONFIGMAPS, &map).await.of(201);
    delete(&server, &format!("{CONFIGMAPS}/a"), "Foreground").await;
    settle().await;
    assert_eq!(left(&server).await, ["a", "b"]);
    let patch = json!({ "metadata": { "ownerReferences": [owner(&a)] } });
    server.merge(&format!("{CONFIGMAPS}/b"), &patch).await.of(200);
    settle().await;
    assert_eq!(left(&server).await, ["b"]);
}

#[tokio::test(start_paused = true)]
async fn orphans_lose_their_owner_and_stay() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let other = create(&server, "other", &[]).await;
    create(&server, "b", &[owner(&a)]).await;
    create(&server, "c", &[owner(&other), blocked(&a)]).await;
    let answer = delete(&server, &format!("{CONFIGMAPS}/a"), "Orphan").await;
    assert_eq!(answer["metadata"]["finalizers"], json!(["orphan"]));
    settle().await;
    assert_eq!(left(&server).await, ["b", "c", "other"]);
    let b = server.get(&format!("{CONFIGMAPS}/b")).await.of(200);
    assert!(b["metadata"].get("ownerReferences").is_none(), "{b}");
    let c = server.get(&format!("{CONFIGMAPS}/c")).await.of(200);
    assert_eq!(c["metadata"]["ownerReferences"], json!([owner(&other)]));
}

#[tokio::test(start_paused = true)]
async fn an_object_stays_as_long_as_one_owner_does() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let b = create(&server, "b", &[]).await;
    create(&server, "c", &[blocked(&a), owner(&b)]).await;
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    assert_eq!(left(&server).await, ["b", "c"]);
    let c = server.get(&format!("{CONFIGMAPS}/c")).await.of(200);
    assert_eq!(c["metadata"]["ownerReferences"], json!([owner(&b)]), "the dangling reference is removed");
    delete(&server, &format!("{CONFIGMAPS}/b"), "Background").await;
    settle().await;
    assert_eq!(left(&server).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_owner_in_the_foreground_does_not_wait_for_what_has_another_owner() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let b = create(&server, "b", &[]).await;
    create(&server, "c", &[blocked(&a), owner(&b)]).await;
    delete(&server, &format!("{CONFIGMAPS}/a"), "Foreground").await;
    settle().await;
    assert_eq!(left(&server).await, ["b", "c"]);
    let c = server.get(&format!("{CONFIGMAPS}/c")).await.of(200);
    assert_eq!(c["metadata"]["ownerReferences"], json!([owner(&b)]));
}

#[tokio::test(start_paused = true)]
async fn an_object_with_two_owners_of_which_one_owns_the_other_loses_one_after_the_other() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let b = create(&server, "b", &[owner(&a)]).await;
    let mut map = super::map("c", &[owner(&a), owner(&b)]);
    map["metadata"]["finalizers"] = json!(["example.com/hold"]);
    server.post(CONFIGMAPS, &map).await.of(201);
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    let c = server.get(&format!("{CONFIGMAPS}/c")).await.of(200);
    assert_eq!(c["metadata"]["ownerReferences"], json!([owner(&b)]));
    assert!(c["metadata"]["deletionTimestamp"].is_string(), "{c}");
}

#[tokio::test(start_paused = true)]
async fn circles_are_collected() {
    for policy in ["Background", "Foreground"] {
        let server = collecting();
        let a = create(&server, "a", &[]).await;
        let b = create(&server, "b", &[blocked(&a)]).await;
        let c = create(&server, "c", &[blocked(&b)]).await;
        let patch = json!({ "metadata": { "ownerReferences": [blocked(&c)] } });
        server.merge(&format!("{CONFIGMAPS}/a"), &patch).await.of(200);
        settle().await;
        assert_eq!(left(&server).await, ["a", "b", "c"]);
        delete(&server, &format!("{CONFIGMAPS}/b"), policy).await;
        settle().await;
        assert_eq!(left(&server).await, Vec::<String>::new(), "{policy}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_owns_itself_waits_for_itself_in_the_foreground() {
    for (policy, remains) in [("Background", false), ("Foreground", true), ("Orphan", false)] {
        let server = collecting();
        let a = create(&server, "a", &[]).await;
        let patch = json!({ "metadata": { "ownerReferences": [blocked(&a)] } });
        server.merge(&format!("{CONFIGMAPS}/a"), &patch).await.of(200);
        delete(&server, &format!("{CONFIGMAPS}/a"), policy).await;
        settle().await;
        assert_eq!(!left(&server).await.is_empty(), remains, "{policy}");
    }
}

#[tokio::test(start_paused = true)]
async fn collected_objects_wait_for_their_finalizers() {
    let server = collecting();
    let a = create(&server, "a", &[]).await;
    let mut map = super::map("b", &[owner(&a)]);
    map["metadata"]["finalizers"] = json!(["example.com/hold", "orphan"]);
    let b = server.post(CONFIGMAPS, &map).await.of(201);
    create(&server, "c", &[owner(&b)]).await;
    delete(&server, &format!("{CONFIGMAPS}/a"), "Background").await;
    settle().await;
    // Its own finalizer says that its dependents are to be orphaned.
    let b = server.get(&format!("{CONFIGMAPS}/b")).await.of(200);
    assert_eq!(b["metadata"]["finalizers"], json!(["example.com/hold"]));
    let c = server.get(&format!("{CONFIGMAPS}/c")).await.of(200);
    assert!(c["metadata"].get("ownerReferences").is_none(), "{c}");
    server.merge(&format!("{CONFIGMAPS}/b"), &json!({ "metadata": { "finalizers": null } })).await.of(200);
    settle().await;
    assert_eq!(left(&server).await, ["c"]);
}

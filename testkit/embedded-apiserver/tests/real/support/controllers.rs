//! What the tests of controllers share.

use anyhow::Result;
use futures::TryStreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Api, WatchEvent, WatchParams};
use kube_client::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::{Answer, ask, ask_with};

/// Sends a request with a body. Panics unless it succeeds.
pub(crate) async fn send(client: &Client, request: &str, body: &Value) -> Result<Answer> {
    let answer = ask_with(client, request, body).await?;
    assert!((200..300).contains(&answer.status), "{request}: {answer:?}");
    Ok(answer)
}

pub(crate) async fn get(client: &Client, path: &str) -> Result<Answer> {
    ask(client, &format!("GET {path}")).await
}

/// Changes an object, if it is there.
pub(crate) async fn change(client: &Client, path: &str, change: impl Fn(&mut Value)) -> Result<()> {
    loop {
        let mut answer = get(client, path).await?;
        if answer.status == 404 {
            return Ok(());
        }
        change(&mut answer.body);
        // A controller may be faster.
        answer.body["metadata"]["resourceVersion"] = answer.version.clone().into();
        let written = ask_with(client, &format!("PUT {path}"), &answer.body).await?;
        if written.status != 409 {
            assert!(matches!(written.status, 200 | 404), "{written:?}");
            return Ok(());
        }
    }
}

pub(crate) async fn create_namespace(client: &Client, name: &str) -> Result<()> {
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    send(client, "POST /api/v1/namespaces", &namespace).await.map(drop)
}

/// Waits until the garbage collector has dealt with what has been written: it has if it has dealt with an object without
/// an owner that is created now. Returns the ConfigMaps of that namespace that were deleted since a version, in order.
pub(crate) async fn settle(client: &Client, namespace: &str, since: &str) -> Result<Vec<String>> {
    let owner = json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": new_uid() });
    let last = json!({ "metadata": { "generateName": "last-", "ownerReferences": [owner] } });
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let last = send(client, &format!("POST {path}"), &last).await?.body["metadata"]["name"].clone();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let events = maps.watch(&WatchParams::default(), since).await?;
    let mut events = std::pin::pin!(events);
    let mut deleted = Vec::new();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Deleted(map) if map.name_any() == last => return Ok(deleted),
            WatchEvent::Deleted(map) if !map.name_any().starts_with("last-") => deleted.push(map.name_any()),
            _ => {}
        }
    }
    anyhow::bail!("the watch ended")
}

/// A uid that no object has.
pub(crate) fn new_uid() -> String {
    format!("{:08x}-0000-4000-8000-{:012x}", fastrand::u32(..), fastrand::u64(..1 << 48))
}

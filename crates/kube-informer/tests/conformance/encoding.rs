//! P-070 to P-074: other forms than plain JSON.

use anyhow::Result;
use serde_json::{Value, json};

use super::api;
use crate::support::wire::{Answer, Api, items, rv};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

async fn get(api: &Api, path: &str, accept: &str) -> Result<Answer> {
    api.get_with(path, &[("accept", accept)]).await
}

#[tokio::test]
async fn p_071_custom_resources_have_no_protobuf() -> Result<()> {
    let Some(api) = api("p_071").await? else { return Ok(()) };
    api.serve_widgets().await?;
    assert_eq!(get(&api, &api.widgets(""), PROTOBUF).await?.status, 406);
    let answer = get(&api, &api.widgets(""), &format!("{PROTOBUF},application/json")).await?;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.json()["kind"], "WidgetList");
    Ok(())
}

#[tokio::test]
async fn p_076_a_parameter_of_accept_that_is_not_known_is_ignored() -> Result<()> {
    let Some(api) = api("p_076").await? else { return Ok(()) };
    api.configmap("a", "app=web").await?;
    let form = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    for form in ["application/json", form] {
        let plain = get(&api, &api.configmaps(""), form).await?.body_of(200)?;
        let asked = format!("{form};drop=metadata.managedFields,{form}");
        let answer = get(&api, &api.configmaps(""), &asked).await?;
        assert_eq!(answer.header("content-type"), "application/json", "{form}");
        assert_eq!(answer.body_of(200)?, plain, "{form}");
    }
    Ok(())
}

#[tokio::test]
async fn p_072_metadata_alone_of_every_resource() -> Result<()> {
    let Some(api) = api("p_072").await? else { return Ok(()) };
    api.serve_widgets().await?;
    api.configmap("a", "app=web").await?;
    api.pod("a").await?;
    api.create(&api.widgets(""), Api::widget("a", &json!({ "size": 1 }))).await?;
    let metadata_of = |object: &Value| {
        let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["apiVersion", "kind", "metadata"]);
        assert_eq!(object["kind"], "PartialObjectMetadata");
        assert_eq!(object["apiVersion"], "meta.k8s.io/v1");
        object["metadata"].clone()
    };
    let list_form = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let form = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    for path in [api.configmaps(""), api.pods(""), api.widgets("")] {
        let plain = api.got(&path).await?;
        let answer = get(&api, &path, list_form).await?;
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
        let list = answer.body_of(200)?;
        assert_eq!(list["kind"], "PartialObjectMetadataList", "{path}");
        assert_eq!(metadata_of(&items(&list)[0]), items(&plain)[0]["metadata"], "{path}");

        let single = get(&api, &format!("{path}/a"), form).await?.body_of(200)?;
        assert_eq!(metadata_of(&single), items(&plain)[0]["metadata"], "{path}");

        let before = rv(&items(&plain)[0]) - 1;
        let query = format!("{path}?watch=1&resourceVersion={before}");
        let event = api.watch_with(&query, &[("accept", form)]).await?.next().await?;
        assert_eq!(metadata_of(&event.object), items(&plain)[0]["metadata"], "{path}");

        let message = get(&api, &path, form).await?;
        assert_eq!(message.status, 406, "a list is not metadata of one object: {message:?}");
    }
    Ok(())
}

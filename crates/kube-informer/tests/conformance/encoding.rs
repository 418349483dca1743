//! P-070 to P-074: other forms than plain JSON.

use anyhow::Result;
use serde_json::{Value, json};

use super::{api, api_of_many_encodings};
use crate::support::wire::{Answer, Api, items, name, rv};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

async fn get(api: &Api, path: &str, accept: &str) -> Result<Answer> {
    api.get_with(path, &[("accept", accept)]).await
}

/// The beginning of a list; the rest and watches are shown where they are decoded.
#[tokio::test]
async fn p_070_protobuf_begins_with_four_bytes() -> Result<()> {
    let Some(api) = api_of_many_encodings("p_070").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    for path in [api.configmaps(""), api.configmaps("/a"), api.configmaps("/none")] {
        let answer = get(&api, &path, PROTOBUF).await?;
        assert_eq!(answer.header("content-type"), PROTOBUF, "{path}");
        assert!(answer.body.starts_with(b"k8s\0"), "{path}: {:?}", answer.body);
    }
    Ok(())
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

#[tokio::test]
async fn p_073_gzip_for_those_who_ask_and_above_128_kib() -> Result<()> {
    let Some(api) = api_of_many_encodings("p_073").await? else { return Ok(()) };
    for name in ["a", "b", "c"] {
        let object = json!({ "metadata": { "name": name }, "data": { "large": "x".repeat(60 << 10) } });
        api.create(&api.configmaps(""), object).await?;
    }
    let ask = |path: String, accept: &'static str| {
        let api = &api;
        async move { api.get_with(&path, &[("accept-encoding", accept)]).await }
    };
    for accept in ["gzip", "deflate, gzip"] {
        let answer = ask(api.configmaps(""), accept).await?;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, "gzip"), "{accept}");
        assert_eq!(answer.header("vary"), "Accept-Encoding");
        assert!(answer.body.starts_with(&[0x1f, 0x8b]) && answer.body.len() < 60 << 10);
    }
    for (path, accept) in [
        (api.configmaps(""), "gzip;q=1.0"),
        (api.configmaps(""), "identity"),
        (api.configmaps(""), "*"),
        (api.configmaps("?limit=2"), "gzip"),
    ] {
        let answer = ask(path, accept).await?;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, ""), "{accept}");
        assert_eq!(name(&items(&answer.json())[0]), "a");
    }
    Ok(())
}

#[tokio::test]
async fn p_074_a_table_for_those_who_ask() -> Result<()> {
    let Some(api) = api_of_many_encodings("p_074").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let both = format!("{table},application/json");
    for accept in [table, &both] {
        let answer = get(&api, &api.configmaps(""), accept).await?.body_of(200)?;
        assert_eq!((&answer["kind"], &answer["apiVersion"]), (&json!("Table"), &json!("meta.k8s.io/v1")));
        assert_eq!(answer["columnDefinitions"][0]["name"], "Name");
        assert_eq!(answer["rows"][0]["cells"][0], "a");
        assert_eq!(answer["rows"][0]["object"]["kind"], "PartialObjectMetadata");
        assert!(rv(&answer) > 0);
    }
    for accept in ["application/json", "*/*", ""] {
        let list = get(&api, &api.configmaps(""), accept).await?.body_of(200)?;
        assert_eq!(list["kind"], "ConfigMapList", "{accept}");
    }
    Ok(())
}

//! P-049, P-070, P-073, P-074: YAML, protobuf, gzip and Table, which the embedded server does not speak.

use anyhow::Result;
use serde_json::json;

use super::api;
use crate::support::wire::{Answer, Api, items, name, rv};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

async fn get(api: &Api, path: &str, accept: &str) -> Result<Answer> {
    api.get_with(path, &[("accept", accept)]).await
}

#[tokio::test]
async fn p_049_a_watch_cannot_be_had_in_yaml() -> Result<()> {
    let Some(api) = api("p_049").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    let path = api.configmaps(&format!("?watch=1&resourceVersion={version}"));
    let answer = api.get_with(&path, &[("accept", "application/yaml")]).await?;
    assert_eq!((answer.status, answer.header("content-type")), (406, "application/yaml"));
    let yaml = String::from_utf8(answer.body.to_vec())?;
    for part in [
        "code: 406",
        "kind: Status",
        "reason: NotAcceptable",
        "application/json;stream=watch",
        "application/vnd.kubernetes.protobuf;stream=watch",
    ] {
        assert!(yaml.contains(part), "{part}: {yaml}");
    }
    let list = api.get_with(&api.configmaps(""), &[("accept", "application/yaml")]).await?;
    assert_eq!((list.status, list.header("content-type")), (200, "application/yaml"), "a list can");
    Ok(())
}

/// The beginning of a list; the rest and watches are shown where they are decoded.
#[tokio::test]
async fn p_070_protobuf_begins_with_four_bytes() -> Result<()> {
    let Some(api) = api("p_070").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    for path in [api.configmaps(""), api.configmaps("/a"), api.configmaps("/none")] {
        let answer = get(&api, &path, PROTOBUF).await?;
        assert_eq!(answer.header("content-type"), PROTOBUF, "{path}");
        assert!(answer.body.starts_with(b"k8s\0"), "{path}: {:?}", answer.body);
    }
    Ok(())
}

#[tokio::test]
async fn p_073_gzip_for_those_who_ask_and_above_128_kib() -> Result<()> {
    let Some(api) = api("p_073").await? else { return Ok(()) };
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
    let Some(api) = api("p_074").await? else { return Ok(()) };
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

//! P-020 to P-027: lists in pages.

use anyhow::Result;
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use super::api;
use crate::support::wire::{Api, items, name, names, rv};

fn token(list: &Value) -> &str {
    list["metadata"]["continue"].as_str().unwrap_or_default()
}

fn remaining(list: &Value) -> Option<i64> {
    list["metadata"]["remainingItemCount"].as_i64()
}

/// What is in a token: base64url without padding of JSON.
fn decoded(token: &str) -> Value {
    assert!(!token.contains(['+', '/', '=']), "{token} is base64url without padding");
    let mut standard = token.replace('-', "+").replace('_', "/");
    while !standard.len().is_multiple_of(4) {
        standard.push('=');
    }
    let bytes: ByteString = serde_json::from_value(standard.into()).expect("a token is base64");
    serde_json::from_slice(&bytes.0).expect("a token is JSON inside")
}

async fn five(api: &Api) -> Result<()> {
    for name in ["c1", "c2", "c3", "c4", "c5"] {
        api.configmap(name, "app=web").await?;
    }
    Ok(())
}

#[tokio::test]
async fn p_020_a_page_has_at_most_limit_items_and_says_what_remains() -> Result<()> {
    let Some(api) = api("p_020").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    five(&api).await?;
    let first = api.got(&api.configmaps("?limit=2")).await?;
    assert_eq!((names(&first), remaining(&first)), (vec!["c1", "c2"], Some(3)));
    let second = api.got(&api.configmaps(&format!("?limit=2&continue={}", token(&first)))).await?;
    assert_eq!((names(&second), remaining(&second)), (vec!["c3", "c4"], Some(1)));
    let third = api.got(&api.configmaps(&format!("?limit=2&continue={}", token(&second)))).await?;
    assert_eq!((names(&third), remaining(&third), token(&third)), (vec!["c5"], None, ""));
    for limit in [5, 6, 0, -1] {
        let all = api.got(&api.configmaps(&format!("?limit={limit}"))).await?;
        assert_eq!((items(&all).len(), remaining(&all), token(&all)), (5, None, ""), "{limit}");
    }
    let selected = api.got(&api.configmaps("?limit=2&labelSelector=app=web")).await?;
    assert_eq!((items(&selected).len(), remaining(&selected)), (2, None));
    assert_ne!(token(&selected), "");
    Ok(())
}

#[tokio::test]
async fn p_021_all_pages_are_of_one_version_whatever_is_written_between() -> Result<()> {
    let Some(api) = api("p_021").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    five(&api).await?;
    let first = api.got(&api.configmaps("?limit=2")).await?;
    let version = rv(&first);
    let mut all = items(&first).clone();
    let mut next = token(&first).to_owned();
    for (round, gone) in ["c4", "c1", "c2"].iter().enumerate() {
        api.configmap(&format!("c3{round}"), "app=web").await?;
        api.step("c5", &format!("{}", round + 1)).await?;
        api.deleted(&api.configmaps(&format!("/{gone}"))).await?;
        if !next.is_empty() {
            let page = api.got(&api.configmaps(&format!("?limit=2&continue={next}"))).await?;
            assert_eq!(rv(&page), version);
            all.extend(items(&page).iter().cloned());
            next = token(&page).to_owned();
        }
    }
    assert_eq!(next, "", "five items in pages of two are three pages");
    let query = format!("?resourceVersion={version}&resourceVersionMatch=Exact");
    let exact = api.got(&api.configmaps(&query)).await?;
    assert_eq!(names(&exact), ["c1", "c2", "c3", "c4", "c5"]);
    assert_eq!(&all, items(&exact));
    Ok(())
}

#[tokio::test]
async fn p_022_tokens_are_base64url_and_others_are_refused() -> Result<()> {
    let Some(api) = api("p_022").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    five(&api).await?;
    let page = api.got(&api.configmaps("?limit=2")).await?;
    let token = token(&page);
    let inside = decoded(token);
    assert_eq!((&inside["v"], &inside["rv"]), (&json!("meta.k8s.io/v1"), &json!(rv(&page))));
    assert_eq!(inside["start"].as_str().unwrap().trim_start_matches('/'), "c2\u{0}");

    assert_eq!(names(&api.got(&api.configmaps("?continue=")).await?).len(), 5, "an empty token is none");
    let garbage = api.get(&api.configmaps("?continue=garbage")).await?.failure(400, "BadRequest");
    assert!(garbage.starts_with("invalid continue token: continue key is not valid"), "{garbage}");
    let with = |more: &str| api.configmaps(&format!("?continue={token}{more}"));
    let message = api.get(&with("&resourceVersion=5")).await?.failure(400, "BadRequest");
    assert_eq!(message, "specifying resource version is not allowed when using continue");
    let message = api.get(&with("&resourceVersionMatch=Exact")).await?.failure(422, "Invalid");
    assert!(message.contains("resourceVersionMatch is forbidden when continue is provided"), "{message}");
    assert_eq!(names(&api.got(&with("&resourceVersion=0")).await?), ["c3", "c4", "c5"], "0 is tolerated");
    Ok(())
}

/// On events, which no server keeps old versions of in memory.
#[tokio::test]
async fn p_023_a_token_expires_when_its_version_is_compacted() -> Result<()> {
    let Some(api) = api("p_023").await? else { return Ok(()) };
    let _alone = api.server.history.write().await;
    for name in ["e1", "e2", "e3", "e4"] {
        api.event(name).await?;
    }
    let first = api.got(&api.events("?limit=2")).await?;
    let later = rv(&api.event("e5").await?);
    if !api.server.compacted("p_023", later).await? {
        return Ok(());
    }

    let expired = api.get(&api.events(&format!("?limit=2&continue={}", token(&first)))).await?;
    let message = expired.failure(410, "Expired");
    assert!(message.starts_with("The provided continue parameter is too old"), "{message}");
    let offered = expired.json();
    assert_eq!(decoded(token(&offered))["rv"], -1);
    let second = api.got(&api.events(&format!("?limit=2&continue={}", token(&offered)))).await?;
    assert_eq!(names(&second), ["e3", "e4"]);
    assert!(rv(&second) >= later);
    assert_eq!(decoded(token(&second))["rv"], rv(&second), "consistent again");
    api.event("e6").await?;
    let third = api.got(&api.events(&format!("?continue={}", token(&second)))).await?;
    assert_eq!((names(&third), rv(&third)), (vec!["e5"], rv(&second)));

    let query = format!("?resourceVersion={}&resourceVersionMatch=Exact", rv(&first));
    let message = api.get(&api.events(&query)).await?.failure(410, "Expired");
    assert_eq!(message, "The resourceVersion for the provided list is too old.");
    Ok(())
}

#[tokio::test]
async fn p_027_a_token_without_a_limit_returns_all_the_rest() -> Result<()> {
    let Some(api) = api("p_027").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    five(&api).await?;
    let first = api.got(&api.configmaps("?limit=1")).await?;
    assert_eq!(name(&items(&first)[0]), "c1");
    let rest = api.got(&api.configmaps(&format!("?continue={}", token(&first)))).await?;
    assert_eq!((names(&rest), rv(&rest), token(&rest)), (vec!["c2", "c3", "c4", "c5"], rv(&first), ""));
    Ok(())
}

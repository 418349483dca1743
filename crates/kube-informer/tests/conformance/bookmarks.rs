//! P-050 and P-051: bookmarks.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;

use super::api;
use crate::support::wire::{rv, told};

#[tokio::test]
async fn p_050_without_being_asked_for_no_bookmark_comes() -> Result<()> {
    let Some(api) = api("p_050").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    // Long enough for the bookmark that would come two seconds before the end.
    let query = format!("?watch=1&resourceVersion={version}&timeoutSeconds=10");
    let mut watch = api.watch(&api.configmaps(&query)).await?;
    api.configmap("a", "").await?;
    assert_eq!(told(&watch.rest().await?), ["ADDED a"]);
    Ok(())
}

/// Of the one that comes each minute nothing is shown here: it would take as long.
#[tokio::test]
async fn p_051_a_bookmark_comes_two_seconds_before_the_end() -> Result<()> {
    let Some(api) = api("p_051").await? else { return Ok(()) };
    let version = rv(&api.got(&api.pods("")).await?);
    let query = format!("?watch=1&resourceVersion={version}&timeoutSeconds=10&allowWatchBookmarks=true");
    let started = Instant::now();
    let mut watch = api.watch(&api.pods(&query)).await?;
    let written = api.pod("a").await?;
    assert_eq!(watch.next().await?.object, written);
    let bookmark = watch.next().await?;
    let after = started.elapsed();
    assert!(after >= Duration::from_secs(4), "after {after:?}");
    assert_eq!(bookmark.kind, "BOOKMARK");
    let version = rv(&bookmark.object);
    assert!(version >= rv(&written), "it covers what was told");
    // Nothing else in it means anything.
    assert_eq!(bookmark.object["metadata"], json!({ "resourceVersion": version.to_string() }));
    assert_eq!((&bookmark.object["kind"], &bookmark.object["apiVersion"]), (&json!("Pod"), &json!("v1")));
    for more in watch.rest().await? {
        assert_eq!(more.kind, "BOOKMARK");
        assert!(rv(&more.object) >= version, "a later one is not of an earlier version");
    }
    Ok(())
}

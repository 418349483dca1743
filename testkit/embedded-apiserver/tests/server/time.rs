//! Watches that last for hours, under paused time.

use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use futures::{AsyncBufReadExt as _, TryStreamExt as _};
use http::Request;
use tokio::time::Instant;

use crate::support::config_map;

/// The types of all events of a watch until its end.
async fn types(server: &EmbeddedApiserver, parameters: &str) -> anyhow::Result<Vec<String>> {
    let path = format!("/api/v1/configmaps?watch=1&{parameters}");
    let stream = server.client().request_stream(Request::get(path).body(Vec::new())?).await?;
    let mut lines = Box::pin(stream.lines());
    let mut types = Vec::new();
    while let Some(line) = lines.try_next().await? {
        let event: serde_json::Value = serde_json::from_str(&line)?;
        types.push(event["type"].as_str().unwrap_or_default().to_owned());
    }
    Ok(types)
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_by_itself_within_the_hour() {
    let began = std::time::Instant::now();
    let server = EmbeddedApiserver::new();
    let start = Instant::now();
    assert!(types(&server, "resourceVersion=1").await.unwrap().is_empty());
    let lasted = start.elapsed().as_secs();
    assert!((1800..=3600).contains(&lasted), "{lasted}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn bookmarks_come_at_their_time() {
    let server = EmbeddedApiserver::builder().bookmark_every(Duration::from_secs(5)).build();
    let start = server.version();
    server.create(&config_map("a")).await.unwrap();
    let parameters = format!("resourceVersion={start}&allowWatchBookmarks=true&timeoutSeconds=31");
    let types = types(&server, &parameters).await.unwrap();
    assert_eq!(types[0], "ADDED");
    assert!((5..=7).contains(&types[1..].len()), "{types:?}");
    assert!(types[1..].iter().all(|kind| kind == "BOOKMARK"), "{types:?}");
}

#[tokio::test(start_paused = true)]
async fn the_first_bookmark_tells_of_what_happened_elsewhere() {
    let server = EmbeddedApiserver::new();
    let path = format!(
        "/api/v1/secrets?watch=1&allowWatchBookmarks=true&timeoutSeconds=100&resourceVersion={}",
        server.version()
    );
    let stream = server.client().request_stream(Request::get(path).body(Vec::new()).unwrap()).await.unwrap();
    let (start, mut lines) = (Instant::now(), Box::pin(stream.lines()));
    server.create(&config_map("a")).await.unwrap();
    let line = lines.try_next().await.unwrap().expect("a bookmark");
    assert_eq!(start.elapsed().as_secs(), 60);
    let event: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(event["type"], "BOOKMARK");
    assert_eq!(event["object"]["metadata"]["resourceVersion"], server.version().to_string());
}

#[tokio::test(start_paused = true)]
async fn a_version_of_the_future_is_waited_for() {
    let server = EmbeddedApiserver::builder().future_version_wait(Duration::from_secs(600)).build();
    let start = Instant::now();
    let request = Request::get("/api/v1/configmaps?resourceVersion=999999").body(Vec::new()).unwrap();
    let error = server.client().request_text(request).await.unwrap_err();
    assert!(error.to_string().contains("Too large resource version"), "{error}");
    assert_eq!(start.elapsed().as_secs(), 600);
}

//! Objects whose every text tries to be something else come out as text, in answers of bounded size.

use super::*;

const MARKUP: &str = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";

/// Names, labels, keys and values with markup, line breaks that could end an event, other scripts and directions.
fn hostile(server: &ScriptedSource) -> Vec<String> {
    let names = [
        MARKUP.to_owned(),
        "\u{202e}gnp.exe".into(),
        "שלום-עולם".into(),
        "🦀🏳️‍🌈".into(),
        "a\n\ndata: {}\n\nb".into(),
        "\u{0}\u{7f}".into(),
    ];
    for name in &names {
        let metadata = json!({
            "name": name, "namespace": name, "labels": { name: name, MARKUP: MARKUP },
            "annotations": { name: "x".repeat(1 << 20) },
        });
        server.put_json(json!({ "metadata": metadata, "data": { name: name, MARKUP: MARKUP } })).unwrap();
    }
    names.into()
}

#[tokio::test(start_paused = true)]
async fn they_stay_within_their_event_and_are_cut() {
    let server = ScriptedSource::of::<ConfigMap>();
    let names = hostile(&server);
    let informer = maps(&server).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let found = events_of(ask(&endpoint, "/debug/objects/search?informer=0", None)).collect::<Vec<_>>().await;
    let found = found.last().unwrap();
    assert_eq!(found.matches("\n\n").count(), 1, "one event: {found}");
    assert_eq!(parsed(found)["rows"].as_array().unwrap().len(), names.len());
    assert!(found.len() < 20_000, "{}", found.len());
    for name in names {
        let place: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("informer", "0")
            .append_pair("namespace", &name)
            .append_pair("name", &name)
            .finish();
        let answer = ask(&endpoint, &format!("/debug/objects/object?{place}"), None);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        let shown = events_of(answer).next().await.unwrap();
        assert_eq!(shown.matches("\n\n").count(), 1, "one event: {shown}");
        let shown = parsed(&shown);
        assert_eq!(shown["object"]["name"], name.as_str());
        let yaml = shown["yaml"].as_str().unwrap();
        assert!(yaml.len() < 20_000 && yaml.contains("1048576 bytes"), "{}", yaml.len());
    }
}

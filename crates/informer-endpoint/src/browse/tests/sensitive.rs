//! Of sensitive kinds names and sizes are shown, and nothing else.

use k8s_openapi::api::core::v1::Secret;

use super::*;

const VALUE: &str = "aHVudGVyMg";

fn put_secret(server: &ScriptedSource, round: usize) {
    let hidden = format!("{VALUE}{}", "A".repeat(round));
    let metadata = json!({
        "name": "s", "namespace": "shop", "labels": { "label": hidden },
        "annotations": { "kubectl.kubernetes.io/last-applied-configuration": hidden },
    });
    server.put_json(json!({ "metadata": metadata, "type": hidden, "data": { VALUE: hidden } })).unwrap();
}

async fn secrets(server: &ScriptedSource) -> SharedInformer<Secret> {
    run(SharedInformer::builder(server.clone()).build().unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn names_and_sizes_only() {
    let server = ScriptedSource::of::<Secret>();
    put_secret(&server, 0);
    let informer = secrets(&server).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));

    let found =
        events_of(ask(&endpoint, "/debug/objects/search?informer=0&name=s", None)).collect::<Vec<_>>().await;
    let rows = parsed(found.last().unwrap())["rows"].clone();
    let members: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(members, ["bytes", "name", "namespace"], "{rows}");

    let mut view = events_of(ask(&endpoint, "/debug/objects/object?informer=0&namespace=shop&name=s", None));
    let mut feed = events_of(ask(&endpoint, "/debug/objects/changes?informer=0", None));
    let mut said = found.concat() + &view.next().await.unwrap() + &feed.next().await.unwrap();
    put_secret(&server, 3);
    let changed = view.next().await.unwrap();
    let told = parsed(&changed);
    assert_eq!((&told["sensitive"], &told["yaml"]), (&json!(true), &Value::Null));
    assert_eq!(
        (&told["changes"][0]["what"], &told["changes"][0]["differences"]),
        (&json!("updated"), &Value::Null)
    );
    said += &changed;
    said += &feed.next().await.unwrap();
    assert!(!said.contains(VALUE) && !said.contains("annotations") && !said.contains("label"), "{said}");
}

/// Else one could ask for contents letter by letter.
#[tokio::test(start_paused = true)]
async fn they_are_found_by_name_only() {
    let server = ScriptedSource::of::<Secret>();
    put_secret(&server, 0);
    let informer = secrets(&server).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    for query in
        ["field=type%3DaHVudGVyMg", "labels=label%3DaHVudGVyMg", "labels=label", "name=s&field=a%3Db"]
    {
        assert_eq!(
            status(&endpoint, &format!("/debug/objects/search?informer=0&{query}"), None),
            400,
            "{query}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn so_are_kinds_that_the_program_marks() {
    let server = ScriptedSource::of::<ConfigMap>();
    put(&server, "x", VALUE);
    let informer = run(SharedInformer::<ConfigMap>::builder(server).sensitive().build().unwrap()).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let mut view = events_of(ask(&endpoint, "/debug/objects/object?informer=0&namespace=shop&name=x", None));
    let event = view.next().await.unwrap();
    assert!(!event.contains(VALUE) && parsed(&event)["object"]["bytes"].as_u64().unwrap() > 0, "{event}");
    assert_eq!(status(&endpoint, "/debug/objects/search?informer=0&field=data.key%3Dx", None), 400);
}

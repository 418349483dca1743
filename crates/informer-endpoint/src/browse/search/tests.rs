use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::ScriptedSource;
use tokio::sync::Semaphore;

use super::*;
use crate::browse::Pages;

fn holds(selector: &str) -> bool {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("x".into());
    map.metadata.labels =
        Some([("app".into(), "web".into()), ("example.com/tier".into(), String::new())].into());
    let object = Object::new(&map).unwrap();
    labels(selector).unwrap().matches(|key| object.labels().get(key))
}

#[test]
fn all_terms_have_to_hold() {
    for selector in [
        "",
        "app=web",
        "app == web",
        "app",
        "!canary",
        "app!=db",
        "app=web,example.com/tier=",
        "none!=x",
        "app in (web,db)",
        " , ",
        "app=web, ",
    ] {
        assert!(holds(selector), "{selector}");
    }
    for selector in
        ["app=db", "app!=web", "!app", "canary", "app=web,canary", "app=we", "App=web", "app notin (web)"]
    {
        assert!(!holds(selector), "{selector}");
    }
}

#[test]
fn what_is_no_term_is_named() {
    for selector in ["app in web", "=web", "!", "a b", "!=x", ",app"] {
        let error = labels(selector).unwrap_err();
        assert!(error.contains("cannot read") && error.contains("app=web"), "{error}");
        assert_eq!(error.matches(&format!("{selector:?}")).count(), 1, "{error}");
    }
}

/// An informer of this many maps, `map-000`…, every third with `app=web`, and each with its number as data.
async fn filled(count: usize) -> SharedInformer<()> {
    let server = ScriptedSource::of::<ConfigMap>();
    for number in 0..count {
        let labels = if number % 3 == 0 { json!({ "app": "web" }) } else { json!({}) };
        let metadata = json!({ "name": format!("map-{number:03}"), "namespace": "shop", "labels": labels });
        let data = json!({ "number": number.to_string(), "list": [{ "n": number }, { "n": "x" }] });
        server.put_json(json!({ "metadata": metadata, "data": data })).unwrap();
    }
    let informer = SharedInformer::<ConfigMap>::builder(server).build().unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(60)).await.unwrap();
    informer.as_kind()
}

async fn found(informer: &SharedInformer<()>, query: &str) -> Result<Value, String> {
    let seats = Arc::new(Semaphore::new(1));
    let seat = seats.clone().try_acquire_owned().unwrap();
    let events = stream(informer, &Query::parse(query), Pages::default().viewer(None, seat))?
        .collect::<Vec<_>>()
        .await;
    assert_eq!(seats.available_permits(), 1, "it has ended");
    let last = events.last().expect("at least one");
    let last: Value = serde_json::from_slice(last.strip_prefix(b"data: ").unwrap()).unwrap();
    assert_eq!((&last["isOver"], &last["searched"]), (&json!(true), &last["of"]));
    Ok(last)
}

fn names(found: &Value) -> Vec<&str> {
    found["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn objects_are_found_by_name_labels_and_fields() {
    let informer = filled(60).await;
    let all = found(&informer, "").await.unwrap();
    assert_eq!(
        (&all["matched"], names(&all)[0], names(&all)[59]),
        (&json!(60), "map-000", "map-059"),
        "sorted"
    );
    for (query, expected) in [
        (
            "name=P-01",
            vec![
                "map-010", "map-011", "map-012", "map-013", "map-014", "map-015", "map-016", "map-017",
                "map-018", "map-019",
            ],
        ),
        ("name=shop/map-007", vec!["map-007"]),
        ("name=nobody", vec![]),
        ("name=map-00&labels=app%3Dweb", vec!["map-000", "map-003", "map-006", "map-009"]),
        ("field=data.number%3D7", vec!["map-007"]),
        ("field=data.list.n%3D7", vec!["map-007"]),
        ("field=data.list[*].n%3D7", vec!["map-007"]),
        ("field={.data.list[?(@.n==7)].n}+%3D+7", vec!["map-007"]),
        ("field=data.list[1].n%3D7", vec![]),
        ("field=metadata.name%3Dmap-031", vec!["map-031"]),
        ("field=data.number%3D7&labels=app%3Dweb", vec![]),
        ("field=data%3D7", vec![]),
    ] {
        assert_eq!(names(&found(&informer, query).await.unwrap()), expected, "{query}");
    }
    assert_eq!(
        names(&found(&informer, "name=SHOP").await.unwrap()).len(),
        60,
        "in any case, and the namespace too"
    );
}

#[tokio::test(start_paused = true)]
async fn only_the_first_are_shown_and_all_are_counted() {
    let found = found(&filled(450).await, "name=map").await.unwrap();
    assert_eq!((&found["matched"], names(&found).len()), (&json!(450), ROWS));
    assert_eq!((names(&found)[0], names(&found)[ROWS - 1]), ("map-000", "map-199"));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_named() {
    let informer = filled(1).await;
    for (query, text) in [
        ("field=spec.nodeName", "spec.nodeName"),
        ("field=%3Dx", "=x"),
        ("field=a..b%3Dx", "a..b=x"),
        ("labels=a%20b", "a b"),
    ] {
        let error = found(&informer, query).await.unwrap_err();
        assert!(error.contains("cannot read"), "{error}");
        assert_eq!(error.matches(&format!("{text:?}")).count(), 1, "{error}");
    }
}

/// Real time: a search takes as long as it takes.
#[tokio::test]
async fn a_search_gives_way_to_others_and_ends_with_its_viewer() {
    let informer = filled(3_000).await;
    let turns = Arc::new(AtomicUsize::new(0));
    let counts = turns.clone();
    tokio::spawn(async move {
        loop {
            counts.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let seats = Arc::new(Semaphore::new(1));
    let search = || {
        let seat = seats.clone().try_acquire_owned().unwrap();
        stream(&informer, &Query::parse("field=data.number%3D7"), Pages::default().viewer(None, seat))
            .unwrap()
    };
    let mut events = search();
    assert!(events.next().now_or_never().is_none(), "it does not do all at once");
    assert!(events.next().await.is_some());
    assert!(turns.load(Ordering::Relaxed) >= 2, "others had their turn in between");
    drop(events);
    let mut events = search();
    assert!(events.next().now_or_never().is_none());
    drop(events);
    assert_eq!(seats.available_permits(), 1, "nothing goes on without its viewer");
}

/// How far a search for a field gets at once.
fn search_of(informer: &SharedInformer<()>, pages: &Pages) -> BoxStream<'static, Bytes> {
    let seat = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    stream(informer, &Query::parse("field=data.number%3Dnone"), pages.viewer(None, seat)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn searches_unpack_one_after_the_other() {
    let informer = filled(10).await;
    let pages = Pages::default();
    let seat = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    let other = pages.viewer(None, seat);
    let turn = other.unpacks().await;
    let mut waiting = search_of(&informer, &pages);
    let waited = tokio::time::timeout(Duration::from_secs(60), waiting.next()).await;
    assert!(waited.is_err(), "another one has its turn");
    assert!(search_of(&informer, &Pages::default()).next().await.is_some(), "which is that of its program");
    drop(turn);
    assert!(waiting.next().await.is_some());
}

/// The time that passes is only what it rests: time is paused.
#[tokio::test(start_paused = true)]
async fn a_search_rests_as_long_as_it_works_however_long_that_is() {
    let server = ScriptedSource::of::<ConfigMap>();
    let list: Vec<_> = (0..40_000).map(|number| json!({ "number": number })).collect();
    for number in 0..5 {
        let metadata = json!({ "name": format!("large-{number}"), "namespace": "shop" });
        // It is parsed because the value is in it somewhere.
        server.put_json(json!({ "metadata": metadata, "data": { "list": list, "other": "none" } })).unwrap();
    }
    let informer = SharedInformer::<ConfigMap>::builder(server).build().unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(60)).await.unwrap();
    let (begun, rested) = (Instant::now(), tokio::time::Instant::now());
    search_of(&informer.as_kind(), &Pages::default()).collect::<Vec<_>>().await;
    let (worked, rested) = (begun.elapsed(), rested.elapsed());
    assert!(worked > STEP * 10, "large enough to tell: {worked:?}");
    assert!(rested > worked / 2, "worked {worked:?}, rested {rested:?}");
}

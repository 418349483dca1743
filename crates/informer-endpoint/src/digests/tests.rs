use std::time::Duration;

use futures::FutureExt as _;
use http::Method;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_informer::testing::ScriptedSource;

use super::*;
use crate::Endpoint;
use crate::answer::Body;

/// Of objects that are quickly hashed: time is paused.
const PAGE: usize = 1_000;

/// A running informer on the server.
async fn informer<K>(builder: kube_informer::InformerBuilder<K>) -> SharedInformer<K>
where
    K: kube_informer::Kind + serde::de::DeserializeOwned + Send + Sync + 'static,
{
    let informer = builder.build().unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(5)).await.unwrap();
    informer
}

fn get(endpoint: &Endpoint, path: &str) -> Value {
    let answer = endpoint.answer(&Method::GET, path);
    assert_eq!(answer.status(), 200, "{path}");
    serde_json::from_str(answer.body()).unwrap()
}

fn about<K: 'static>(informer: &SharedInformer<K>) -> Endpoint {
    let digested = Digested::new(informer);
    Endpoint::new(Vec::new).digests(move || vec![digested.clone()])
}

#[tokio::test(start_paused = true)]
async fn objects_come_page_by_page_without_their_contents() {
    let server = ScriptedSource::of::<ConfigMap>();
    for number in 0..2_500 {
        let map = json!({ "metadata": { "namespace": "a", "name": format!("x-{number}") }, "data": { "a": "content" } });
        server.create(&map).unwrap();
    }
    let informer = informer(SharedInformer::<ConfigMap>::builder(server)).await;
    let endpoint = about(&informer);
    let index = get(&endpoint, PATH);
    assert_eq!(
        (&index["informers"][0]["digests"], &index["informers"][0]["objects"]),
        (&json!(true), &json!(2_500))
    );
    let (mut keys, mut path, mut pages) = (Vec::new(), format!("{PATH}/configmaps"), 0);
    loop {
        let page = get(&endpoint, &path);
        pages += 1;
        assert!(!page.to_string().contains("content"), "no contents");
        for item in page["items"].as_array().unwrap() {
            assert_eq!(item["digest"].as_str().unwrap().len(), 32);
            let object = informer
                .lister()
                .namespace("a")
                .get(item["key"].as_str().unwrap().trim_start_matches("a/"))
                .unwrap();
            assert_eq!(item["digest"].as_str(), digest(&object.raw_json()).as_deref());
            assert_eq!(item["uid"], object.uid().to_string());
            assert_eq!(item["resourceVersion"], object.resource_version().to_string());
            keys.push(item["key"].as_str().unwrap().to_owned());
        }
        match page["next"].as_str() {
            Some(next) => path = format!("{PATH}/configmaps/{}", next.replace('/', "%2F")),
            None => break,
        }
    }
    assert_eq!((pages, keys.len()), (3, 2_500));
    assert!(keys.is_sorted_by(|a, b| a < b), "each once");
    assert_eq!(endpoint.answer(&Method::GET, "/debug/digests/pods").status(), 404);
    assert_eq!(endpoint.answer(&Method::GET, "/debug/digests/configmaps/%zz").status(), 404);
    assert_eq!(endpoint.answer(&Method::POST, PATH).status(), 405);
    assert_eq!(Endpoint::new(Vec::new).answer(&Method::GET, PATH).status(), 404, "nobody asked for it");
}

/// A page: the keys on it, and where the next one begins.
fn page_of(endpoint: &Endpoint, after: &str) -> (Vec<String>, Option<String>) {
    let page = get(endpoint, &format!("{PATH}/configmaps/{}", after.replace('/', "%2F")));
    let keys = page["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap().to_owned());
    (keys.collect(), page["next"].as_str().map(str::to_owned))
}

#[tokio::test(start_paused = true)]
async fn a_full_last_page_is_the_last_and_keys_are_in_the_order_of_their_texts() {
    let server = ScriptedSource::of::<ConfigMap>();
    // As texts `a-b/…` comes before `a/…`, as namespaces after it.
    for number in 0..PAGE {
        let namespace = if number % 2 == 0 { "a" } else { "a-b" };
        server
            .create(&json!({ "metadata": { "namespace": namespace, "name": format!("x-{number}") } }))
            .unwrap();
    }
    let informer = informer(SharedInformer::<ConfigMap>::builder(server.clone())).await;
    let endpoint = about(&informer);
    let (keys, next) = page_of(&endpoint, "");
    assert_eq!((keys.len(), next), (PAGE, None));
    assert!(keys.is_sorted_by(|a, b| a < b) && keys[0].starts_with("a-b/"), "{:?}", &keys[..2]);

    let one = json!({ "metadata": { "namespace": "a-b", "name": "first" } });
    let version = server.create(&one).unwrap();
    let key = kube_informer::ObjectKey::namespaced("a-b", "first");
    informer.wait_for_version(&key, &version, Duration::from_secs(5)).await.unwrap();
    let (mut first, next) = page_of(&endpoint, "");
    assert_eq!((first.len(), first.last(), &*first[0]), (PAGE, next.as_ref(), "a-b/first"));
    let (rest, end) = page_of(&endpoint, &next.unwrap());
    assert_eq!((rest.len(), end), (1, None));
    first.extend(rest);
    assert_eq!(first[1..], keys);
}

#[tokio::test(start_paused = true)]
async fn what_changes_around_the_end_of_a_page_is_told_once_or_not_at_all() {
    let server = ScriptedSource::of::<ConfigMap>();
    let map = |name: &str| json!({ "metadata": { "namespace": "a", "name": name } });
    for number in 0..2 * PAGE {
        server.create(&map(&format!("x-{number:04}"))).unwrap();
    }
    let informer = informer(SharedInformer::<ConfigMap>::builder(server.clone())).await;
    let endpoint = about(&informer);
    let (first, next) = page_of(&endpoint, "");
    assert_eq!((first.len(), next.as_deref()), (PAGE, Some("a/x-0999")));

    // The last of the page goes, and the first of the next one; others come before and after the end of the page.
    server.delete("a/x-0999").unwrap();
    server.delete("a/x-1000").unwrap();
    server.create(&map("x-0998-new")).unwrap();
    let version = server.create(&map("x-0999-new")).unwrap();
    let key = kube_informer::ObjectKey::namespaced("a", "x-0999-new");
    informer.wait_for_version(&key, &version, Duration::from_secs(5)).await.unwrap();

    let (second, next) = page_of(&endpoint, &next.unwrap());
    assert_eq!(second[..2], ["a/x-0999-new", "a/x-1001"]);
    assert_eq!((second.len(), second.last().map(String::as_str), next), (PAGE, Some("a/x-1999"), None));
    assert!(second.is_sorted_by(|a, b| a < b));
}

#[tokio::test(start_paused = true)]
async fn sensitive_and_altered_objects_have_no_digests() {
    let server = ScriptedSource::of::<Secret>();
    server
        .create(&json!({ "metadata": { "namespace": "a", "name": "s" }, "data": { "a": "aHVudGVyMg==" } }))
        .unwrap();
    let secrets = informer(SharedInformer::<Secret>::builder(server)).await;
    let page = get(&about(&secrets), "/debug/digests/secrets");
    assert_eq!((&page["items"][0]["digest"], &page["items"][0]["key"]), (&Value::Null, &json!("a/s")));
    assert_eq!(page["noDigestsBecause"], "the kind is sensitive");
    let server = ScriptedSource::of::<ConfigMap>();
    server.create(&json!({ "metadata": { "namespace": "a", "name": "s" }, "data": { "a": "b" } })).unwrap();
    let slim = informer(SharedInformer::<ConfigMap>::builder(server).drop_field("data")).await;
    let page = get(&about(&slim), "/debug/digests/configmaps");
    assert_eq!(page["items"][0]["digest"], Value::Null);
    assert!(page["noDigestsBecause"].as_str().unwrap().contains("whole objects"));
}

#[test]
fn a_digest_is_of_what_the_object_says_and_not_of_how() {
    let one = digest(
        br#"{"kind":"X","apiVersion":"v1","metadata":{"name":"a","managedFields":[1]},"spec":{"b":1,"a":2}}"#,
    );
    let same = digest(br#"{ "spec": { "a": 2, "b": 1 }, "metadata": { "name": "a" } }"#);
    assert!(one.is_some() && one == same);
    assert_ne!(one, digest(br#"{"spec":{"a":2,"b":2},"metadata":{"name":"a"}}"#));
    assert_eq!((digest(b"[]"), digest(b"{")), (None, None));
    // SHA-256 of `{}`, cut to 16 bytes.
    assert_eq!(digest(b"{}").as_deref(), Some("44136fa355b3678a1146ad16f7e8649e"));
}

/// An informer of so many maps in one namespace.
async fn filled(count: usize) -> SharedInformer<()> {
    let server = ScriptedSource::of::<ConfigMap>();
    for number in 0..count {
        let metadata = json!({ "namespace": "a", "name": format!("x-{number:05}") });
        server.create(&json!({ "metadata": metadata, "data": { "n": number.to_string() } })).unwrap();
    }
    informer(SharedInformer::<ConfigMap>::builder(server)).await.as_kind()
}

#[tokio::test(start_paused = true)]
async fn a_page_that_takes_too_long_ends_early_and_the_next_goes_on() {
    let informer = filled(5).await;
    let most = Most { work: Duration::ZERO, ..Most::default() };
    let (mut keys, mut after) = (Vec::new(), String::new());
    loop {
        let mut page = Page::new(&informer, after, most);
        while !page.step() {}
        let page: Value = serde_json::from_str(&page.text()).unwrap();
        let items = page["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "at least one, and no more than there is time for");
        keys.push(items[0]["key"].as_str().unwrap().to_owned());
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(keys, (0..5).map(|number| format!("a/x-{number:05}")).collect::<Vec<_>>());
}

/// What the connection of a listener is given.
fn later(endpoint: &Endpoint, path: &str) -> futures::future::BoxFuture<'static, String> {
    let request = http::Request::get(path).header(http::header::HOST, "localhost").body(()).unwrap();
    let answer = endpoint.respond(&request, "127.0.0.1".parse().unwrap());
    assert_eq!(answer.status(), 200);
    let Body::Later(text) = answer.into_body() else { panic!("a page that is still to be made") };
    text
}

/// No time passes, so that the steps are those of a number of objects, however busy the machine is.
#[tokio::test(start_paused = true)]
async fn a_listener_makes_pages_in_steps_and_one_at_a_time() {
    let informer = filled(PAGE + 1).await;
    let endpoint = about(&informer);
    let path = format!("{PATH}/configmaps");
    let mut first = later(&endpoint, &path);
    let mut second = later(&endpoint, &path);
    assert!((&mut first).now_or_never().is_none(), "it does not do all at once");
    assert!((&mut second).now_or_never().is_none());
    assert_eq!(endpoint.digesting.available_permits(), 0);
    let held = first.await;
    assert!((&mut second).now_or_never().is_none(), "it begins only now");
    let page: Value = serde_json::from_str(&held).unwrap();
    assert_eq!((&page["items"][0]["key"], &page["next"]), (&json!("a/x-00000"), &json!("a/x-00999")));
    drop(second);
    assert_eq!(endpoint.digesting.available_permits(), 1, "nothing goes on without its client");
    // Who asks for the headers alone has nothing made.
    let head = http::Request::head(&path).header(http::header::HOST, "localhost").body(()).unwrap();
    let head = endpoint.respond(&head, "127.0.0.1".parse().unwrap());
    assert!(!head.body().is_to_come());
}

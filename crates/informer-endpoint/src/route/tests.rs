use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::SharedInformer;
use kube_informer::testing::ScriptedSource;

use super::*;
use crate::stream::VIEWERS;

fn ask(endpoint: &Endpoint, method: &Method, path: &str, headers: &[(&str, &str)]) -> Response<Body> {
    let mut request = Request::builder().method(method).uri(path).header(HOST, "localhost:9090");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    endpoint.respond(&request.body(()).unwrap(), "127.0.0.1".parse().unwrap())
}

fn content_type(accept: &str) -> String {
    let answer = ask(&Endpoint::new(Vec::new), &Method::GET, "/debug/informers?x=1", &[("accept", accept)]);
    assert_eq!(answer.status(), 200);
    answer.headers()[CONTENT_TYPE].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn who_asks_for_html_gets_the_page_and_the_page_gets_events() {
    assert_eq!(content_type("text/html,application/xhtml+xml,*/*;q=0.8"), "text/html; charset=utf-8");
    assert_eq!(content_type("text/event-stream"), "text/event-stream");
    assert_eq!(content_type("application/json"), "application/json");
    assert_eq!(content_type("*/*"), "application/json", "as curl asks");
}

#[tokio::test]
async fn nothing_can_be_written_and_head_has_no_body() {
    let endpoint = Endpoint::new(Vec::new);
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH] {
        assert_eq!(ask(&endpoint, &method, "/debug/informers", &[]).status(), 405);
    }
    let head = ask(&endpoint, &Method::HEAD, "/debug/informers", &[("accept", "text/event-stream")]);
    assert_eq!((head.status().as_u16(), head.body().is_stream()), (200, false));
    assert_eq!(endpoint.seats.available_permits(), VIEWERS, "nobody views");
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_before_anything_is_made_for_it() {
    let endpoint = Endpoint::new(|| panic!("nobody asks for it")).metrics(|| panic!("nor for this"));
    for path in ["/debug/informers", "/metrics", "/readyz"] {
        let headers = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")];
        assert_eq!(ask(&endpoint, &Method::GET, path, &headers).status(), 403, "{path}");
    }
}

/// The status and the text that somebody gets who asks by a name that is not known.
fn ask_by_another_name(endpoint: &Endpoint, path: &str) -> (u16, String) {
    let request = Request::get(path).header(HOST, "evil.example").body(()).unwrap();
    let answer = endpoint.respond(&request, "127.0.0.1".parse().unwrap());
    assert!(answer.headers().contains_key(CONTENT_SECURITY_POLICY));
    let status = answer.status().as_u16();
    let Body::Text(Some(text)) = answer.into_body() else { panic!("a text") };
    (status, String::from_utf8(text.to_vec()).unwrap())
}

#[tokio::test]
async fn an_unknown_host_gets_nothing_but_whether_it_lives_and_is_ready() {
    let informer = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap();
    let endpoint = Endpoint::new(move || vec![informer.status()]).metrics(String::new);
    for path in ["/metrics", "/debug/informers", "/debug/objects", "/"] {
        assert_eq!(ask_by_another_name(&endpoint, path).0, 421, "{path}");
    }
    assert_eq!(ask_by_another_name(&endpoint, "/livez"), (200, "ok\n".into()));
    assert_eq!(ask_by_another_name(&endpoint, "/readyz"), (503, "not ready\n".into()), "and not why");
    assert_eq!(ask_by_another_name(&Endpoint::new(Vec::new), "/readyz"), (200, "ready\n".into()));
}

#[tokio::test]
async fn an_unknown_path_is_answered_with_those_there_are() {
    let there = |endpoint: &Endpoint| match ask(endpoint, &Method::GET, "/", &[]).into_body() {
        Body::Text(Some(text)) => String::from_utf8(text.to_vec()).unwrap(),
        _ => panic!("text"),
    };
    let little = Endpoint::new(Vec::new);
    assert_eq!(there(&little), "not found; there is /livez /readyz /debug/informers\n");
    let all = little.metrics(String::new).digests(Vec::new).objects(crate::ObjectBrowser::new());
    let paths = "/livez /readyz /metrics /debug/informers /debug/objects /debug/digests";
    assert_eq!(there(&all), format!("not found; there is {paths}\n"));
    for path in paths.split(' ') {
        assert_eq!(ask(&all, &Method::GET, path, &[]).status(), 200, "{path}");
    }
    // The browser of objects is only there for who comes over the network.
    let answered = all.answer(&Method::GET, "/").into_body();
    assert_eq!(answered, "not found; there is /livez /readyz /metrics /debug/informers /debug/digests\n");
    assert_eq!(all.answer(&Method::GET, "/debug/objects").status(), 404);
}

#[tokio::test]
async fn there_are_so_many_places_for_viewers() {
    let endpoint = Endpoint::new(Vec::new);
    let view = || ask(&endpoint, &Method::GET, "/debug/informers", &[("accept", "text/event-stream")]);
    let mut viewers: Vec<_> = (0..VIEWERS).map(|_| view()).collect();
    assert!(viewers.iter().all(|answer| answer.status() == 200));
    let full = view();
    assert_eq!((full.status().as_u16(), full.headers()["retry-after"].to_str().unwrap()), (503, "5"));
    viewers.pop();
    assert_eq!(view().status(), 200);
}

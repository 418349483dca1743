use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::TryStreamExt as _;
use http::Response;
use informer_core::scope::Scope;
use parking_lot::Mutex;

use kube_client::Client;

use super::*;
use crate::source::request::{ListParams, WatchParams};

type Seen = Arc<Mutex<Vec<http::Request<()>>>>;

/// A body of chunks that ends well or with an error.
struct Chunks(Vec<Result<&'static str, &'static str>>);

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = Box<dyn StdError + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let next = self.0.remove(0);
        Poll::Ready(Some(next.map(|text| http_body::Frame::data(Bytes::from(text))).map_err(Into::into)))
    }
}

/// A body whose beginning comes, and nothing more ever.
struct Stalled(Option<&'static str>);

impl http_body::Body for Stalled {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        match self.0.take() {
            Some(text) => Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from(text))))),
            None => Poll::Pending,
        }
    }
}

/// A source whose server answers everything in one way.
fn source<B>(answer: impl Fn() -> Response<B> + Send + 'static) -> (HttpSource, Seen)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    let seen = Seen::default();
    let journal = seen.clone();
    let service = tower::service_fn(move |request: http::Request<Body>| {
        journal.lock().push(request.map(|_| ()));
        let answer = answer();
        async move { Ok::<_, Infallible>(answer) }
    });
    let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
    (HttpSource::new(Client::new(service, "default"), kind).unwrap(), seen)
}

fn list() -> Request {
    Request {
        scope: Scope::namespace("default"),
        verb: Verb::List(ListParams { resource_version: "0".into(), ..ListParams::default() }),
        label_selector: None,
        field_selector: None,
        metadata_only: false,
        drop_managed_fields: false,
        sensitive: false,
        silence: None,
    }
}

fn watch() -> Request {
    let params =
        WatchParams { resource_version: "7".into(), timeout_seconds: 300, send_initial_events: false };
    Request { verb: Verb::Watch(params), ..list() }
}

fn answer(status: u16, body: &'static str) -> Response<Body> {
    Response::builder().status(status).body(Body::from(Bytes::from(body))).unwrap()
}

async fn error_of(source: &HttpSource) -> SourceError {
    match source.open(list()).await {
        Ok(_) => panic!("expected an error"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_good_answer_is_its_body() {
    let (source, seen) = source(|| Response::new(Chunks(vec![Ok("{\"a\""), Ok(":1}")])));
    let body: Vec<Bytes> = source.open(list()).await.unwrap().try_collect().await.unwrap();
    assert_eq!(body, ["{\"a\"", ":1}"]);
    let seen = seen.lock();
    assert_eq!(seen[0].method(), "GET");
    assert_eq!(seen[0].uri(), "/api/v1/namespaces/default/pods?resourceVersion=0");
}

#[tokio::test]
async fn p_073_answers_are_asked_for_uncompressed() {
    let (source, seen) = source(|| answer(200, "{}"));
    for request in [list(), watch()] {
        source.open(request).await.map(drop).unwrap();
    }
    for request in seen.lock().iter() {
        assert_eq!(request.headers()[ACCEPT_ENCODING], "identity");
        assert_eq!(request.headers()[ACCEPT], "application/json");
    }
}

#[tokio::test]
async fn p_072_metadata_is_asked_for_by_accept() {
    let (source, seen) = source(|| answer(200, "{}"));
    for request in [list(), watch()] {
        source.open(Request { metadata_only: true, ..request }).await.map(drop).unwrap();
    }
    let accepts: Vec<_> = seen.lock().iter().map(|request| request.headers()[ACCEPT].clone()).collect();
    assert_eq!(accepts[0], "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    assert_eq!(accepts[1], "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
}

#[tokio::test]
async fn p_076_managed_fields_are_asked_to_be_left_out_with_the_plain_form_as_second_choice() {
    let (source, seen) = source(|| answer(200, "{}"));
    let request = Request { drop_managed_fields: true, ..list() };
    for request in [Request { metadata_only: true, ..request.clone() }, request] {
        source.open(request).await.map(drop).unwrap();
    }
    let accepts: Vec<_> = seen.lock().iter().map(|request| request.headers()[ACCEPT].clone()).collect();
    let metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    assert_eq!(accepts[0], format!("{metadata};drop=metadata.managedFields,{metadata}"));
    assert_eq!(accepts[1], "application/json;drop=metadata.managedFields,application/json");
}

#[tokio::test]
async fn an_error_status_is_read_from_its_status_object() {
    let body = r#"{"kind":"Status","code":410,"reason":"Expired","message":"too old"}"#;
    let (source, _) = source(move || answer(410, body));
    let error = error_of(&source).await;
    assert!(error.is_expired());
    assert_eq!((error.http_status(), &*error.to_string()), (Some(410), "too old"));
}

#[tokio::test]
async fn p_045_an_error_in_plain_text_is_an_error() {
    let too_many = || {
        let mut answer = answer(429, "Too many requests, please try again later.\n");
        answer.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("5"));
        answer
    };
    let (source, _) = source(too_many);
    let expected = Status {
        code: 429,
        message: "Too many requests, please try again later.".into(),
        retry_after: Some(Duration::from_secs(5)),
        ..Status::default()
    };
    assert_eq!(error_of(&source).await, SourceError::answered(expected));
}

#[tokio::test]
async fn a_long_or_broken_error_body_does_not_hide_the_status() {
    let long: &'static str = String::leak("x".repeat(3 * ERROR_BODY));
    for body in [vec![Ok(long), Ok(long)], vec![Ok("part"), Err("reset")], vec![]] {
        let body = Mutex::new(Some(body));
        let (source, _) = source(move || {
            Response::builder().status(503).body(Chunks(body.lock().take().unwrap())).unwrap()
        });
        assert_eq!(error_of(&source).await.http_status(), Some(503));
    }
}

#[tokio::test(start_paused = true)]
async fn d15_an_error_body_that_stalls_holds_its_status_back_for_five_seconds_only() {
    for beginning in [None, Some("upstream ti")] {
        let (source, _) = source(move || Response::builder().status(503).body(Stalled(beginning)).unwrap());
        let began = Instant::now();
        assert_eq!(error_of(&source).await.http_status(), Some(503));
        assert_eq!(began.elapsed(), Duration::from_secs(5));
    }
}

#[tokio::test]
async fn a_compressed_answer_is_refused() {
    let gzip = || {
        let mut answer = answer(200, "\u{1f}");
        answer.headers_mut().insert(CONTENT_ENCODING, http::HeaderValue::from_static("gzip"));
        answer
    };
    let (source, _) = source(gzip);
    let error = error_of(&source).await;
    assert!(error.is_transport() && error.to_string().contains("gzip"), "{error}");
}

#[tokio::test]
async fn an_answer_that_says_it_is_not_compressed_is_taken_however_it_is_written() {
    for written in ["identity", "Identity", "IDENTITY"] {
        let (source, _) = source(move || {
            let mut answer = answer(200, "{}");
            answer.headers_mut().insert(CONTENT_ENCODING, http::HeaderValue::from_static(written));
            answer
        });
        let body: Vec<Bytes> = source.open(list()).await.unwrap().try_collect().await.unwrap();
        assert_eq!(body, ["{}"], "{written}");
    }
}

#[tokio::test]
async fn p_044_a_body_that_breaks_is_a_transport_error() {
    let (source, _) = source(|| Response::new(Chunks(vec![Ok("{"), Err("connection reset")])));
    let mut body = source.open(watch()).await.unwrap();
    assert_eq!(body.next().await.unwrap().unwrap(), "{");
    let error = body.next().await.unwrap().unwrap_err();
    assert!(error.is_transport() && error.to_string().contains("connection reset"), "{error}");
}

#[derive(Debug)]
struct Outer(std::io::Error);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot connect")
    }
}

impl StdError for Outer {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}

#[tokio::test]
async fn a_request_without_an_answer_names_the_whole_cause() {
    let service = tower::service_fn(|_: http::Request<Body>| async {
        Err::<Response<Body>, _>(Outer(std::io::Error::other("connection refused")))
    });
    let kind = KindInfo::new("", "v1", "Pod", "pods");
    let source = HttpSource::new(Client::new(service, "default"), kind).unwrap();
    let error = error_of(&source).await;
    let text = error.to_string();
    assert!(error.is_transport());
    assert!(text.contains("cannot connect: connection refused"), "{text}");
    assert_eq!(text.matches("cannot connect").count(), 1, "no cause is told twice: {text}");
}

#[tokio::test]
async fn a_refused_connection_is_a_transport_error() {
    let config = Config::new(http::Uri::from_static("http://127.0.0.1:1"));
    let source = HttpSource::new(config, KindInfo::new("", "v1", "Pod", "pods")).unwrap();
    assert!(error_of(&source).await.is_transport());
}

#[test]
fn a_client_outside_of_a_runtime_is_an_error() {
    let config = Config::new(http::Uri::from_static("http://127.0.0.1:1"));
    assert!(HttpSource::new(config, KindInfo::new("", "v1", "Pod", "pods")).is_err());
}

#[test]
fn errors_name_the_server_without_credentials() {
    let address = |uri: &str| address(&uri.parse().unwrap(), "http");
    assert_eq!(address("https://api.example.com:6443/prefix"), "https://api.example.com:6443");
    assert_eq!(address("https://user:secret@10.0.0.1"), "https://10.0.0.1");
    assert_eq!(address("https://[::1]:6443"), "https://[::1]:6443");
    assert_eq!(address("user:secret@proxy:3128"), "http://proxy:3128");
}

#[test]
fn d15_neither_missing_credentials_nor_a_reset_stream_say_that_the_server_is_away() {
    use kube_client::Error;
    let credentials = Error::Service(Box::new(AuthError::ExecPluginFailed));
    let reset = Error::Service(Box::new(h2::Error::from(h2::Reason::REFUSED_STREAM)));
    let refused = Error::Service(Box::new(std::io::Error::from(std::io::ErrorKind::ConnectionRefused)));
    assert!(!is_of_the_way(&credentials));
    assert!(is_of_the_way(&reset), "it was not the server who reset it");
    assert!(is_of_the_way(&refused));
}

//! Watches that bring nothing for long, where nothing is wrong.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use embedded_apiserver::EmbeddedApiserver;
use futures::future::BoxFuture;
use http::Response;
use http_body::{Body, Frame};
use kube_client::Client;
use kube_informer::status::{Phase, RelistReason};
use tokio::time::Instant;
use tower::ServiceExt as _;

use crate::support::{PATIENCE, Rig, SECOND, config_map, lists, pass};

/// The body of an answer, of which the first piece may have come already.
struct Held<B> {
    first: Option<Option<io::Result<Frame<Bytes>>>>,
    rest: Pin<Box<B>>,
}

impl<B: Body<Data = Bytes, Error = io::Error>> Body for Held<B> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(first),
            None => self.rest.as_mut().poll_frame(context),
        }
    }
}

/// A client behind a proxy that passes on the head of a watch's answer together with the first bytes of its body.
fn behind_a_proxy(server: &EmbeddedApiserver) -> Client {
    let server = server.service();
    let proxy = tower::service_fn(move |request: http::Request<_>| {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
        let answer = server.clone().oneshot(request);
        let held: BoxFuture<'static, io::Result<_>> = Box::pin(async move {
            let (head, body) = answer.await?.into_parts();
            let mut body = Held { first: None, rest: Box::pin(body) };
            if is_watch {
                body.first = Some(poll_fn(|context| body.rest.as_mut().poll_frame(context)).await);
            }
            Ok(Response::from_parts(head, body))
        });
        held
    });
    Client::new(proxy, "default")
}

#[tokio::test(start_paused = true)]
async fn d15_a_proxy_that_holds_the_heads_of_idle_watches_back_costs_no_relist() {
    let server = EmbeddedApiserver::new();
    let client = behind_a_proxy(&server);
    let options = lists().tuning(|tuning| tuning.idle_watch(30 * SECOND));
    let rig = Rig::start_through(server, client, |builder| builder.options(|_| options));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    for _ in 0..60 {
        rig.something_else_changes().await;
        pass(60 * SECOND).await;
    }
    assert!(rig.status().bookmarks >= 45, "one a minute: {:?}", rig.status());
    assert_eq!((rig.status().relists(RelistReason::Dead), rig.failures()), (0, Vec::new()));
    rig.hears_of("a").await;
    assert_eq!(rig.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn d15_a_silent_watch_is_read_while_the_one_to_replace_it_waits_for_its_allowance() {
    let settings =
        lists().tuning(|tuning| tuning.idle_watch(Duration::from_millis(1)).lookup_after(PATIENCE));
    let rig = Rig::start(EmbeddedApiserver::new(), settings);
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    // Until one watch a second is all that is left.
    pass(30 * SECOND).await;
    let mut throttled = 0;
    for number in 0..20 {
        pass(Duration::from_millis(370)).await;
        throttled += usize::from(rig.status().phase == Phase::Throttled);
        let created = rig.server.create(&config_map(&format!("map-{number}"))).await.unwrap();
        let began = Instant::now();
        rig.informer.wait_for(&created, PATIENCE).await.unwrap();
        assert!(began.elapsed() <= Duration::from_millis(10), "{number}: {:?}", began.elapsed());
    }
    assert!(throttled >= 10, "{throttled} of 20");
}

//! A proxy that records what passes through it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use http::header::{
    ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER, TRANSFER_ENCODING,
};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body as _;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use kube_client::Client;
use kube_informer::source::{HttpSources, Sources};

use super::accept::form;
use super::listen::LocalServer;
use super::{Body, Broken, body, refusal, status};
use crate::record::{Head, RequestLine};
use crate::recorder::{Recorder, Tape};

/// No API server takes more than 3 MiB.
const LARGEST_REQUEST: usize = 16 << 20;

/// Forwards requests of any client to a cluster, with the credentials of this program, and records them with their answers.
///
/// Headers and bodies of requests are not recorded, only method, path and query. All headers are passed on, such as those of
/// `kubectl --as`, but those of the connection and the credentials of the client. Answers are asked for as JSON and not
/// compressed, if the client takes that; what is not JSON is passed on, and only its length is recorded.
///
/// ```no_run
/// use informer_recording::{Recorder, RecordingProxy};
/// use kube_informer::{Cluster, SharedInformerFactory};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(Cluster::find().await?).build()?;
/// let client = factory.client().ok_or("there is no cluster")?;
/// let recorder = Recorder::create("kubectl.recording")?;
/// let proxy = RecordingProxy::new(client, recorder.clone()).listen("127.0.0.1:8001".parse()?).await?;
/// println!("kubectl --server http://{} get pods --watch", proxy.address());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RecordingProxy {
    client: Client,
    recorder: Recorder,
}

impl RecordingProxy {
    /// A proxy to the server of a client.
    pub fn new(client: Client, recorder: Recorder) -> Self {
        Self { client, recorder }
    }

    /// Listens on an address of loopback until the returned value is dropped; port 0 takes any free port. Whoever can connect can
    /// do what the client may do, like with `kubectl proxy`. Requests from pages in browsers are refused.
    pub async fn listen(self, address: SocketAddr) -> io::Result<LocalServer> {
        let client = harmless(self.client);
        let this = Self { client, recorder: self.recorder };
        LocalServer::start(address, move |request| this.clone().answer(request)).await
    }

    async fn answer(self, request: Request<Incoming>) -> Response<Body> {
        if let Some(refusal) = refusal(request.uri(), request.headers()) {
            return refusal;
        }
        let (head, sent) = request.into_parts();
        let Ok(sent) = Limited::new(sent, LARGEST_REQUEST).collect().await else {
            return status(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestEntityTooLarge",
                "the request is too large",
            );
        };
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let accept = accepted(&head.headers);
        let method = head.method.to_string();
        let line = RequestLine { method, ..RequestLine::get(&target, form(&accept)) };
        let mut forwarded = Request::new(kube_client::client::Body::from(sent.to_bytes().to_vec()));
        *forwarded.method_mut() = head.method;
        match target.parse() {
            Ok(uri) => *forwarded.uri_mut() = uri,
            Err(error) => return status(StatusCode::BAD_REQUEST, "BadRequest", error),
        }
        *forwarded.headers_mut() = super::forwarded::forwarded(&head.headers, &accept);
        let mut tape = self.recorder.begin(line, false);
        match self.client.send(forwarded).await {
            Ok(answer) => recorded(answer, tape),
            Err(error) => {
                let problem = format!("no answer from the cluster: {error}");
                tape.failed(&problem);
                status(StatusCode::BAD_GATEWAY, "InternalError", problem)
            }
        }
    }
}

impl fmt::Debug for RecordingProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingProxy").field("recorder", &self.recorder).finish_non_exhaustive()
    }
}

/// The same client, whose errors do not quote what a credential plugin was given and what it printed: they are recorded, and told
/// to whoever asks.
fn harmless(client: Client) -> Client {
    let sources = HttpSources::new(client.clone());
    sources.ok().and_then(|sources| Sources::client(&sources)).unwrap_or(client)
}

/// What the client accepts, without forms that cannot be looked through, if there is JSON among them.
fn accepted(headers: &HeaderMap) -> String {
    let all: Vec<&str> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|accept| accept.to_str().ok())
        .flat_map(|accept| accept.split(','))
        .map(str::trim)
        .collect();
    let json: Vec<&str> = all.iter().copied().filter(|form| form.starts_with("application/json")).collect();
    match (json.is_empty(), all.is_empty()) {
        (false, _) => json.join(","),
        (true, false) if !all.contains(&"*/*") => all.join(","),
        _ => "application/json".to_owned(),
    }
}

fn recorded(answer: Response<kube_client::client::Body>, mut tape: Tape) -> Response<Body> {
    let (mut head, chunks) = answer.into_parts();
    let header = |name| head.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    tape.answer(Head {
        status: head.status.as_u16(),
        content_type: header(CONTENT_TYPE).map(str::to_owned),
        retry_after: header(RETRY_AFTER).and_then(|seconds| seconds.trim().parse().ok()),
    });
    // These are between the cluster and us.
    head.headers.remove(CONNECTION);
    head.headers.remove(TRANSFER_ENCODING);
    // Once as many bytes are sent as this says, a body is not asked whether it has ended, and its end would not be recorded.
    head.headers.remove(CONTENT_LENGTH);
    head.version = http::Version::HTTP_11;
    // Of an answer without a body nothing is asked at all.
    if chunks.is_end_stream() || matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        tape.end();
    }
    let chunks = Recorded { chunks, tape };
    Response::from_parts(head, body(chunks.boxed()))
}

/// The body of an answer on its way to the client.
struct Recorded {
    chunks: kube_client::client::Body,
    tape: Tape,
}

impl Stream for Recorded {
    type Item = Result<Bytes, Broken>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let frame = ready!(Pin::new(&mut self.chunks).poll_frame(context));
            return Poll::Ready(match frame.map(|frame| frame.map(http_body::Frame::into_data)) {
                Some(Ok(Ok(chunk))) => {
                    self.tape.chunk(&chunk);
                    Some(Ok(chunk))
                }
                Some(Ok(Err(_trailers))) => continue,
                Some(Err(error)) => {
                    self.tape.failed(&error.to_string());
                    Some(Err(error.into()))
                }
                None => {
                    self.tape.end();
                    None
                }
            });
        }
    }
}

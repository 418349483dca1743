//! An API server on loopback.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use informer_endpoint::{Listening, Rules};

use super::Body;

/// The time that a client has to send the head of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// A watch lasts for as long as its client reads it, and there are as many as clients like.
const RULES: Rules<Body> = Rules {
    patience: PATIENCE,
    answer: Duration::MAX,
    view: Duration::MAX,
    connections: usize::MAX,
    keep_alive: true,
    is_stream: |_| true,
};

/// A [recording proxy](super::RecordingProxy) or [replayed recording](super::ReplayServer) that answers at an address until this is
/// dropped.
#[derive(Debug)]
pub struct LocalServer(Listening);

impl LocalServer {
    /// The address, with the actual port if port 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// A kubeconfig that leads clients here, without credentials, as YAML. JavaScript's client talks to servers without TLS only if
    /// TLS is not to be verified; to others that says nothing here.
    pub fn kubeconfig(&self) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: recording\n\
             clusters:\n- name: recording\n  cluster:\n    server: http://{}\n    insecure-skip-tls-verify: true\n\
             contexts:\n- name: recording\n  context:\n    cluster: recording\n    user: recording\n\
             users:\n- name: recording\n  user: {{}}\n",
            self.address()
        )
    }

    /// Answers every request with what a function makes of it. The address has to be on loopback: whoever reaches it can do
    /// what this program can.
    pub(super) async fn start<A, F>(address: SocketAddr, answer: A) -> io::Result<Self>
    where
        A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        if !address.ip().is_loopback() {
            let problem =
                format!("{address} can be reached from other machines; only loopback is listened on");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        Listening::serve(address, RULES, move |request, _| answer(request)).await.map(Self)
    }
}

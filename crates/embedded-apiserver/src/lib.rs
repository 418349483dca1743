//! A Kubernetes API server inside the process: it behaves on the wire like kube-apiserver, and misbehaves when told to.

mod api;
mod body;
mod front;
mod kinds;
mod kubeconfig;
mod request;
mod server;
mod status;
mod transport;

pub use server::EmbeddedApiserver;
pub use transport::{Endpoint, InMemory};

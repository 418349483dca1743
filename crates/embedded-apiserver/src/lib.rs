//! A Kubernetes API server inside the process: it behaves on the wire like kube-apiserver, and misbehaves when told to.

mod api;
mod body;
mod discovery;
mod faults;
mod front;
mod journal;
mod kinds;
mod kubeconfig;
mod request;
mod server;
mod status;
mod transport;

pub use faults::{Fault, InjectedFault};
pub use journal::{Journal, RecordedRequest};
pub use request::Verb;
pub use server::EmbeddedApiserver;
pub use transport::{AnswerBody, Endpoint, InMemory};

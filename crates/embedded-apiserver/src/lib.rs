//! A Kubernetes API server inside the process: it behaves on the wire like kube-apiserver, and misbehaves when told to.

mod api;
mod body;
mod builder;
mod chance;
mod clock;
mod discovery;
mod faults;
mod front;
mod go;
mod journal;
mod kinds;
mod kubeconfig;
mod options;
mod read;
mod request;
mod select;
mod server;
mod simulation;
mod status;
mod storage;
#[cfg(test)]
mod testing;
mod transport;
mod write;

pub use builder::Builder;
pub use faults::{Fault, InjectedFault};
pub use journal::{Journal, RecordedRequest};
pub use request::Verb;
pub use server::{EmbeddedApiserver, Forgotten};
pub use simulation::{RunningSimulation, Simulation};
pub use transport::{AnswerBody, Endpoint, InMemory};

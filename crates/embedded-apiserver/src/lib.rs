//! A Kubernetes API server inside the process: it behaves on the wire like kube-apiserver, and misbehaves when told to.

mod api;
mod body;
mod chance;
mod clock;
mod discovery;
mod go;
mod kinds;
mod options;
mod read;
mod request;
mod select;
mod status;
mod storage;
mod write;

//! A Kubernetes API server inside the process: it behaves on the wire like kube-apiserver, and misbehaves when told to.

mod api;
mod body;
mod discovery;
mod kinds;
mod request;
mod status;

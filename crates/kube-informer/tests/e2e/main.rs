//! End-to-end tests on a real kube-apiserver with etcd. Run with `cargo xtask e2e`.

mod differential;
mod errors;
mod factory;
mod faults;
mod many;
mod proxy;
mod recover;
mod support;
mod watch_pods;

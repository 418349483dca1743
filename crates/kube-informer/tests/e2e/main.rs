//! End-to-end tests on a real kube-apiserver with etcd. Run with `cargo xtask e2e`.

mod errors;
mod faults;
mod recover;
mod support;
mod watch_pods;

//! The library on whole servers: every scenario on a real kube-apiserver with etcd, run with `cargo xtask e2e`, and those
//! that need no process of their own on the embedded server as well, always.

#![expect(clippy::duplicate_mod, reason = "the same scenarios for both servers")]

mod caches;
mod callbacks;
mod differential;
mod embedded;
mod errors;
mod factory;
mod faults;
mod many;
mod namespaces;
mod outage;
mod programs;
mod recover;
mod streams;
mod support;
mod waiting;
mod watch_pods;

// What the scenarios start; in `embedded` it is the other server.
use support::{cluster, cluster_with_rules};
use test_cluster::Cluster;

/// Over HTTP/2 kube-apiserver allows 100 streams, of which watches leave four to other requests.
const WATCHES_A_CONNECTION: usize = 96;

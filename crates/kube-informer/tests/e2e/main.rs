//! The library on whole servers: every scenario on a real kube-apiserver with etcd, run with `cargo xtask
//! e2e`. Those that need no process of their own are run on the embedded server as well, always:
//! `tests/e2e_embedded`.

mod caches;
mod callbacks;
mod differential;
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

// What the scenarios start; in `tests/e2e_embedded` it is the other server.
use support::{cluster, cluster_with_rules};
use test_cluster::Cluster;

/// Over HTTP/2 kube-apiserver allows 100 streams, of which watches leave four to other requests.
const WATCHES_A_CONNECTION: usize = 96;

//! The scenarios of `tests/e2e` on the embedded server, one for each test, over TCP.

#[path = "../e2e/caches.rs"]
mod caches;
#[path = "../e2e/callbacks.rs"]
mod callbacks;
mod cluster;
mod errors;
#[path = "../e2e/factory/mod.rs"]
mod factory;
mod faults;
#[path = "../e2e/many.rs"]
mod many;
#[path = "../e2e/namespaces.rs"]
mod namespaces;
#[path = "../e2e/outage.rs"]
mod outage;
#[path = "../e2e/programs/mod.rs"]
mod programs;
#[path = "../e2e/recover.rs"]
mod recover;
#[allow(dead_code, reason = "shared with the suite on the real server, and used in part")]
#[path = "../e2e/support/mod.rs"]
mod support;
#[path = "../e2e/waiting.rs"]
mod waiting;
#[path = "../e2e/watch_pods.rs"]
mod watch_pods;

use cluster::{Cluster, cluster, cluster_with_rules};

/// It speaks HTTP/1.1.
const WATCHES_A_CONNECTION: usize = 1;

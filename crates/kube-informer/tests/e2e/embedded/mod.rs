//! The scenarios on the embedded server, one for each test, over TCP. Never skipped.

#[path = "../caches.rs"]
mod caches;
#[path = "../callbacks.rs"]
mod callbacks;
mod cluster;
#[path = "../errors/answers.rs"]
mod errors;
#[path = "../factory/mod.rs"]
mod factory;
mod faults;
#[path = "../many.rs"]
mod many;
#[path = "../namespaces.rs"]
mod namespaces;
#[path = "../outage.rs"]
mod outage;
#[path = "../programs/mod.rs"]
mod programs;
#[path = "../recover.rs"]
mod recover;
#[path = "../waiting.rs"]
mod waiting;
#[path = "../watch_pods.rs"]
mod watch_pods;

use cluster::{Cluster, cluster, cluster_with_rules};

/// It speaks HTTP/1.1.
const WATCHES_A_CONNECTION: usize = 1;

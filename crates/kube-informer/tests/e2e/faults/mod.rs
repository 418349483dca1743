//! One test per fault of the server or the way to it. After each the cache equals a fresh list, the handler has
//! heard a legal history, the informer has said what was wrong, and there was no hot loop.

mod access;
mod backups;
mod beside;
mod certificates;
mod etcd;
pub(crate) mod kinds;
mod large;
mod network;
mod proxies;
mod servers;
mod service_account;
mod setup;

use self::setup::{Setup, setup};
use super::{Cluster, cluster, cluster_with_rules};

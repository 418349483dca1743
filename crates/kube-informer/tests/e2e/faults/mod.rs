//! One test per fault of the server or the way to it. After each the cache equals a fresh list, the handler has
//! heard a legal history, the informer has said what was wrong, and there was no hot loop.

mod access;
mod backups;
mod beside;
mod certificates;
mod etcd;
pub(crate) mod history;
pub(crate) mod kinds;
mod large;
pub(crate) mod link;
pub(crate) mod metered;
mod network;
pub(crate) mod objects;
mod proxies;
mod servers;
mod setup;
pub(crate) mod watched;

use self::setup::{Setup, setup};
use super::{Cluster, cluster, cluster_with_rules};

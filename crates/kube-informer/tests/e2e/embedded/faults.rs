//! The faults that need no process of their own.

#[path = "../faults/access.rs"]
mod access;
#[path = "../faults/kinds.rs"]
mod kinds;
#[path = "../faults/large.rs"]
mod large;
#[path = "../faults/network.rs"]
mod network;
#[path = "../faults/servers.rs"]
mod servers;
#[path = "../faults/setup.rs"]
mod setup;

use self::setup::{Setup, setup};
use super::{Cluster, cluster, cluster_with_rules};

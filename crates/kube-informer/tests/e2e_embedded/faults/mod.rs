//! The faults that need no process of their own.

#[path = "../../e2e/faults/access.rs"]
mod access;
#[path = "../../e2e/faults/kinds.rs"]
pub(crate) mod kinds;
#[path = "../../e2e/faults/large.rs"]
mod large;
#[path = "../../e2e/faults/network.rs"]
mod network;
#[path = "../../e2e/faults/servers.rs"]
mod servers;
#[path = "../../e2e/faults/setup.rs"]
mod setup;

use self::setup::{Setup, setup};
use super::{Cluster, cluster, cluster_with_rules};

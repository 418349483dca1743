//! The current state: what the cluster looked like at the last commit, and how one commit becomes the next.
//!
//! | file | does |
//! |---|---|
//! | `apply` | pure: stored state + events → plan |
//! | `replace` | pure: stored scope + whole list → plan, in small steps |
//! | `writer` | the one writer: plans, runs index functions, commits |
//! | `indexer` | what all readers share; its docs hold the guarantees |
//! | `snapshot` | all objects of one commit |
//! | `index` | secondary indexes |
//! | `state`, `sharded` | the maps beneath |

pub(crate) mod apply;
pub(crate) mod change;
pub(crate) mod index;
pub(crate) mod index_build;
pub(crate) mod index_error;
pub(crate) mod index_reader;
pub(crate) mod indexer;
mod key_ref;
pub(crate) mod pace;
pub(crate) mod plan;
pub(crate) mod replace;
pub(crate) mod sharded;
pub(crate) mod snapshot;
pub(crate) mod state;
pub(crate) mod writer;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

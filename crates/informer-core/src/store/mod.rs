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

pub mod apply;
pub mod change;
pub mod index;
pub mod index_build;
pub mod index_error;
pub mod index_reader;
pub mod indexer;
mod key_ref;
pub mod pace;
pub mod plan;
pub mod replace;
pub mod sharded;
pub mod snapshot;
pub mod state;
pub mod writer;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

//! A whole controller, the manager of replicas of `examples/` or one with two informers of pods, in worlds in which everything goes wrong: answers are lost,
//! watches are late, cut and silent, the program is killed and started again at any moment. Whatever happens there is never one
//! pod too many, and in the end there are as many as there are to be.
//!
//! Set `INFORMER_SEED` to repeat one seed, `INFORMER_SEEDS` to run more; `INFORMER_EXPLORE=all` for every pair of faults, and
//! `KUBE_INFORMER_ROUNDS` to kill more leaders.

#![allow(clippy::unwrap_used)]

mod explore;
mod leader;
mod random;
#[path = "../../examples/replication_manager/replicas.rs"]
#[allow(dead_code)]
mod replicas;
mod support;

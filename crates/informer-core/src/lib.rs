//! Inner crate of `kube-informer`, not for direct use: its names may change in any release.
//!
//! What an informer holds and decides, below everything that waits for a network, a timer or a user.
//!
//! - [`object`]: one version of one object as a record: read, packed, decoded.
//! - [`delta`]: what happened at the server, in order.
//! - [`store`]: the current state, and how one commit becomes the next.
//! - [`mailbox`]: the pending events of one handler.
//! - [`reflector`]: where a reflector is, and what it does next.
//!
//! Moments are handed in, and there is no log: what fails is told to a [`Host`](host::Host) or returned. The only thread is that
//! which trains dictionaries.

// The types here hold users' functions and packed bytes; what is printed of them is the matter of those above.
// Tests measure.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests have a clock"))]
#![allow(missing_debug_implementations, reason = "nothing here is shown to users")]

pub mod cause;
pub mod delta;
pub mod host;
pub mod mailbox;
pub mod object;
pub mod panics;
pub mod reflector;
pub mod scope;
pub mod status;
pub mod store;

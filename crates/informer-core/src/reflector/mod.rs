//! What a reflector decides; it is carried out above.
//!
//! | file | does |
//! |---|---|
//! | `cursor` | where we are, what happened → where we are, what to do |
//! | `recovery` | which remedy a failure calls for |
//! | `backoff` | how long to wait |
//! | `budget` | how many requests may be sent, whatever happens |
//! | `newest` | the newest objects that are held |
//! | `snapshot` | collects a list |
//! | `request` | the parameters of a LIST |
//!
//! Moments may be those of another clock: whatever turns into an [`Instant`](std::time::Instant) is taken.

pub mod backoff;
pub mod budget;
pub mod cursor;
pub mod newest;
pub mod recovery;
pub mod request;
pub mod snapshot;

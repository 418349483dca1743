//! What was recorded is replayed: the same bytes, the same calls of handlers, the same cache, and no secret in the file. On paused
//! time, without a network.

mod bytes;
mod round_trip;
mod secrets;
mod support;
mod under_load;

//! What was recorded is replayed: the same bytes, the same calls of handlers, the same cache, and no secret in the file. On paused
//! time, with the embedded server in memory.

mod round_trip;
mod support;

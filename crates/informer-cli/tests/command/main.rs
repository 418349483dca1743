//! The command `informer` as its users run it, on an embedded API server.

mod failures;
mod reading;
mod readme;
mod recording;
mod recording_page;
mod refusing;
mod secrets;
mod serving;
mod support;
mod watching;

//! The command `informer` as its users run it, on an embedded API server.

mod canned;
mod failures;
mod proxy;
mod reading;
mod readme;
mod refusing;
mod secrets;
mod serving;
mod support;
mod watching;

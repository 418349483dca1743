//! The command `informer` as its users run it, on an embedded API server.

mod beside_kubectl;
mod failures;
mod following;
mod hostile;
mod reading;
mod readme;
mod recording;
mod recording_page;
mod refusing;
mod running_program;
mod secrets;
mod serving;
mod support;
mod watching;

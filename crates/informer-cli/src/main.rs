//! The command `informer`.

mod args;
mod get;
mod secrets;
mod watch;

fn main() {}

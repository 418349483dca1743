//! The server from outside: over TCP and from within the process.

mod access;
mod bad_input;
mod faults;
mod kube_rs;
mod load;
mod matching;
mod stopping;
mod support;
mod time;
mod writing;

//! A factory over scripted sources.

mod accessors;
mod asking;
mod discovery;
mod error_page;
mod faces;
mod leases;
mod settings;
mod starting;
mod stopping;
mod support;
mod syncing;
mod threads;

//! Clients that were written for real servers.

mod examples;
mod go_clients;
mod kubectl;
mod managers;
mod support;

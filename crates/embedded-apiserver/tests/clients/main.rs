//! Clients that were written for real servers.

mod examples;
mod go_clients;
mod kube_rs;
mod kubectl;
mod managers;
mod support;

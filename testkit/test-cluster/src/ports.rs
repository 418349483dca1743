//! A free port for the API server.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result};
use ring::rand::{SecureRandom, SystemRandom};

/// Ports below this are left to well-known services.
const LOWEST: u16 = 15_000;

/// A loopback port that nothing listens on right now.
///
/// Taken from below the range that the kernel gives to outgoing connections, where a bind to port 0 would take it
/// from. A test stops the API server and starts it again on the same port while clients keep connecting: one of
/// those connections could otherwise be given that very port, connect to itself, and keep the server out.
///
/// Another process may still take the port before the server does, so a caller must be ready to try again.
pub(crate) fn free_port() -> Result<u16> {
    let random = SystemRandom::new();
    let range = LOWEST..first_outgoing_port();
    for _ in 0..100 {
        let mut bytes = [0; 2];
        random.fill(&mut bytes).ok().context("the system has no random numbers")?;
        let port = u16::from_le_bytes(bytes);
        if range.contains(&port) && is_free(port) {
            return Ok(port);
        }
    }
    any_free_port()
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn any_free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}

/// The start of the range of outgoing ports: on Linux the configured one; elsewhere Linux' default, which is lower than that
/// of most systems.
fn first_outgoing_port() -> u16 {
    std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .ok()
        .and_then(|range| range.split_whitespace().next()?.parse().ok())
        .unwrap_or(32_768)
}

#[cfg(test)]
mod tests;

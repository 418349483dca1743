//! The least any client can take: reading the list and doing nothing with it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use crate::processes::{Server, on_client_core};

/// Reads the list of pods, with curl if there is one.
pub(crate) fn read_list(server: &Server) -> Result<(&'static str, Value)> {
    let before = children()?;
    let started = Instant::now();
    let mut curl = on_client_core(Path::new("curl"));
    curl.args(["--silent", "--fail", "--output", "/dev/null"]).arg(format!("{}/api/v1/pods", server.address));
    if let Ok(status) = curl.status() {
        ensure!(status.success(), "{curl:?} failed with {status}");
        let sync = json!({ "cpu": children()? - before, "wall": started.elapsed().as_secs_f64() });
        return Ok(("curl to /dev/null", json!({ "sync": sync })));
    }
    let started = Instant::now();
    let mut stream = TcpStream::connect(server.address.strip_prefix("http://").context("no address")?)?;
    stream.write_all(b"GET /api/v1/pods HTTP/1.1\r\nHost: bench\r\n\r\n")?;
    let (mut buffer, mut tail) = (vec![0; 1 << 18], Vec::new());
    while !tail.ends_with(b"\r\n0\r\n\r\n") {
        let count = stream.read(&mut buffer)?;
        ensure!(count > 0, "the list was cut short");
        tail.extend_from_slice(&buffer[..count]);
        tail.drain(..tail.len().saturating_sub(16));
    }
    Ok(("a bare reader, not pinned", json!({ "sync": { "wall": started.elapsed().as_secs_f64() } })))
}

/// CPU seconds of the children that have ended.
#[allow(clippy::cast_precision_loss)] // Seconds.
fn children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

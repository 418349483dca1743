//! Requests to etcd itself.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

/// Longer than any request to etcd takes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Compacts etcd up to `revision`, through its JSON gateway at `socket`.
pub(crate) fn compact(socket: &Path, revision: u64) -> Result<()> {
    let body = format!(r#"{{"revision":"{revision}","physical":true}}"#);
    let ask = || {
        let mut etcd = UnixStream::connect(socket)?;
        etcd.set_read_timeout(Some(TIMEOUT))?;
        write!(
            etcd,
            "POST /v3/kv/compaction HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        etcd.read_to_string(&mut answer)?;
        std::io::Result::Ok(answer)
    };
    let answer = ask().context("cannot ask etcd to compact")?;
    ensure!(answer.starts_with("HTTP/1.1 200 "), "etcd did not compact to {revision}: {answer}");
    Ok(())
}

//! Telling the replay server what should happen.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result, ensure};

use crate::Options;

/// The commands of the replay server.
#[derive(Clone, Debug)]
pub struct Server {
    address: String,
}

impl Server {
    /// The server of the options.
    pub fn new(options: &Options) -> Result<Self> {
        let commands = if options.commands.is_empty() { &options.server } else { &options.commands };
        let address =
            commands.strip_prefix("http://").context("no --commands=http://… and no such --server")?;
        Ok(Self { address: address.to_owned() })
    }

    /// Objects change. Returns the resource version of the last change.
    pub fn events(&self, options: &Options) -> Result<u64> {
        let Options { events, hot, rate, .. } = options;
        number(&self.get(&format!("events?count={events}&hot={hot}&rate={rate}{}", kind(options)))?, "last")
    }

    /// The last object changes and all watches expire. Returns the resource version of that change.
    pub fn expire(&self) -> Result<u64> {
        number(&self.get("expire")?, "last")
    }

    /// The sum of the resource versions of all objects.
    pub fn version_sum(&self) -> Result<u64> {
        number(&self.get("state")?, "sum")
    }

    /// When the events were sent, in order.
    pub fn sent(&self, options: &Options) -> Result<Vec<u64>> {
        self.get(&format!("sent?{}", kind(options)))?.lines().map(|line| Ok(line.parse()?)).collect()
    }

    /// The uids of the owners of what the events changed, in order.
    pub fn owners(&self, options: &Options) -> Result<Vec<String>> {
        Ok(self.get(&format!("owners?{}", kind(options)))?.lines().map(str::to_owned).collect())
    }

    fn get(&self, command: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(stream, "GET /bench/{command} HTTP/1.1\r\nHost: bench\r\n\r\n")?;
        let mut answer = Vec::new();
        let mut chunk = vec![0; 1 << 16];
        while !answer.ends_with(b"\r\n0\r\n\r\n") {
            let count = stream.read(&mut chunk)?;
            ensure!(count > 0, "the replay server closed the connection");
            answer.extend_from_slice(&chunk[..count]);
        }
        let text = String::from_utf8(answer)?;
        ensure!(text.starts_with("HTTP/1.1 200"), "{command}: {text}");
        // One chunk: head, empty line, length, content, end.
        let body = text.split_once("\r\n\r\n").context("no body")?.1;
        let body = body.split_once("\r\n").context("no chunk")?.1;
        Ok(body.split_once("\r\n").unwrap_or((body, "")).0.to_owned())
    }
}

/// Which kind is meant, where there are two.
fn kind(options: &Options) -> String {
    options.controller.as_ref().map(|kind| format!("&kind={kind}")).unwrap_or_default()
}

fn number(json: &str, field: &str) -> Result<u64> {
    let value: serde_json::Value = serde_json::from_str(json)?;
    value[field].as_u64().with_context(|| format!("no {field} in {json}"))
}

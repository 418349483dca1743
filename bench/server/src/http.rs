//! Requests without a body.

use std::io::Read;

use anyhow::{Context as _, Result, ensure};

/// What a client asks for.
pub(crate) struct Request {
    pub(crate) path: String,
    query: Vec<(String, String)>,
    accept: String,
}

impl Request {
    /// The next request of a connection; none if the client has closed it.
    pub(crate) fn read(stream: &mut impl Read) -> Result<Option<Self>> {
        let mut head = Vec::new();
        let mut chunk = [0; 4096];
        while !head.ends_with(b"\r\n\r\n") {
            let count = stream.read(&mut chunk)?;
            if count == 0 {
                return Ok(None);
            }
            head.extend_from_slice(&chunk[..count]);
            ensure!(head.len() < 1 << 20, "the head of the request is too long");
        }
        Self::parse(&String::from_utf8_lossy(&head)).map(Some)
    }

    fn parse(head: &str) -> Result<Self> {
        let mut lines = head.lines();
        let target = lines.next().and_then(|line| line.split(' ').nth(1)).context("no request line")?;
        let accept = lines
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("accept"))
            .map(|(_, value)| value.trim());
        Ok(Self::new(target, accept.unwrap_or_default()))
    }

    /// With a path and its query.
    pub(crate) fn new(target: &str, accept: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self { path: path.to_owned(), query, accept: accept.to_owned() }
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A number of the query, 0 if it is missing.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.query(name).and_then(|value| value.parse().ok()).unwrap_or_default()
    }

    pub(crate) fn accept(&self) -> &str {
        &self.accept
    }
}

#[cfg(test)]
mod tests;

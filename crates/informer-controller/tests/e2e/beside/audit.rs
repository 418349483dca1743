//! The writes that a server got, by its audit log: it is a file, so a server that is killed loses nothing of it.

use std::collections::BTreeMap;
use std::ops::Sub;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

const LOG: &str = "audit.log";
/// What the managers are called, by their token.
const MANAGER: &str = "admin";

/// The arguments that make the server write it.
pub(crate) fn arguments(directory: &Path) -> [String; 3] {
    let policy = directory.join("policy.yaml");
    let rules = json!([
        { "level": "Metadata", "verbs": ["create", "update", "patch", "delete", "deletecollection"] },
        { "level": "None" },
    ]);
    let text = json!({ "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules });
    std::fs::write(&policy, text.to_string()).unwrap();
    [
        format!("--audit-policy-file={}", policy.display()),
        format!("--audit-log-path={}", directory.join(LOG).display()),
        // In megabytes; a smaller one would be continued in another file.
        "--audit-log-maxsize=10000".to_owned(),
    ]
}

/// The writes of a manager.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// Those that arrived, whatever the answer was, as `create pods`.
    arrived: BTreeMap<String, usize>,
    /// Those that were answered with an error.
    pub(crate) refused: usize,
}

impl Writes {
    pub(crate) fn read(directory: &TempDir) -> Self {
        let mut writes = Self::default();
        let log = std::fs::read_to_string(directory.path().join(LOG)).unwrap();
        for line in log.lines() {
            // A server that is killed may leave half a line.
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            if event["user"]["username"] != MANAGER {
                continue;
            }
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let what = &event["objectRef"];
            let subresource = what["subresource"].as_str().map(|name| format!("/{name}")).unwrap_or_default();
            match event["stage"].as_str() {
                Some("RequestReceived") => {
                    let write = format!("{} {}{subresource}", text(&event["verb"]), text(&what["resource"]));
                    *writes.arrived.entry(write).or_default() += 1;
                }
                Some("ResponseComplete") if event["responseStatus"]["code"].as_i64() >= Some(400) => {
                    writes.refused += 1;
                }
                _ => {}
            }
        }
        writes
    }

    pub(crate) fn count(&self, is_meant: impl Fn(&str) -> bool) -> usize {
        self.arrived.iter().filter(|(what, _)| is_meant(what)).map(|(_, count)| count).sum()
    }
}

impl Sub for Writes {
    type Output = Self;

    /// Those since then.
    fn sub(mut self, before: Self) -> Self {
        for (what, count) in &mut self.arrived {
            *count -= before.arrived.get(what).copied().unwrap_or_default();
        }
        Self { refused: self.refused - before.refused, ..self }
    }
}

//! The figures that README and other pages quote. `cargo xtask tidy` compares the pages with them.

use super::Figures;
use super::lines::{self, CLIENTS, LINES};

/// Name, line of the table, unit.
pub(super) const QUOTED: [(&str, &str, &str); 18] = [
    ("update", lines::UNREAD, "µs"),
    ("view", lines::VIEW, "µs"),
    ("get", lines::GET, "µs"),
    ("sync", lines::SYNC, "s"),
    ("list", lines::LISTED_SYNC, "s"),
    ("memory", lines::RSS, "MiB"),
    ("heap-of-a-pod", lines::HEAP, "bytes"),
    ("memory-of-a-pod", lines::RSS_OF_ONE, "bytes"),
    ("memory-of-a-million", lines::MILLION, "MiB"),
    ("latency", lines::P99, "µs"),
    ("relist", "CPU of a relist of unchanged objects, s", "s"),
    ("update-of-a-configmap", "CPU for an update of a ConfigMap, µs", "µs"),
    ("update-of-a-secret", "CPU for an update of a Secret, µs", "µs"),
    ("update-of-an-event", "CPU for an update of an Event, µs", "µs"),
    ("update-of-a-lease", "CPU for an update of a Lease, µs", "µs"),
    ("update-of-an-endpointslice", "CPU for an update of an EndpointSlice, µs", "µs"),
    ("update-of-a-custom-resource", "CPU for an update of a custom resource, µs", "µs"),
    ("update-among-50-informers", "50 informers: CPU for an update, µs", "µs"),
];

impl Figures {
    /// As TOML: a line for each figure that was measured.
    pub(super) fn quoted(&self) -> String {
        let mut text = "# Medians, written by `cargo xtask bench --summary FILE…` from raw figures. `cargo xtask tidy` refuses pages \
                        that quote others.\n\n# JSON of a pod, on average\npod = { unit = \"KB\", each = 8.6 }\n"
            .to_owned();
        for (name, title, unit) in QUOTED {
            let Some(line) = LINES.iter().find(|line| line.title == title) else { continue };
            let values = CLIENTS.iter().zip(line.participants).filter_map(|(client, participant)| {
                Some(format!("{client} = {}", line.number(self.median(line, participant)?)))
            });
            let values: Vec<String> = values.collect();
            if !values.is_empty() {
                text.push_str(&format!(
                    "\n# {title}\n{name} = {{ unit = \"{unit}\", {} }}\n",
                    values.join(", ")
                ));
            }
        }
        text
    }
}

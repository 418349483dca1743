//! What the Rust clients of the benchmark have in common: options, measuring, talking to the replay server, the report.
//! The Go client does the same in Go.

mod latency;
mod measure;
mod options;
mod progress;
mod reads;
mod reconciles;
mod server;

pub use latency::Latency;
pub use measure::{Heap, Meter, Phase};
pub use options::{List, Options, Work};
pub use progress::{Progress, now_nanos};
pub use reads::{COLD_READS, HOT_READS, Reads, keys_of_reads, time_paced_reads, time_reads};
pub use reconciles::{Begun, Counts, Reconciles};
pub use server::Server;

use serde::Serialize;

/// What a client reports, as one line of JSON.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// How many objects the cache holds in the end.
    pub objects: u64,
    /// The sum of their resource versions: equal to the server's if and only if, in practice, the cache is right.
    pub version_sum: u64,
    /// From the start until the handlers have heard of every object.
    pub sync: Phase,
    /// From the first event until the handlers have heard of the last.
    pub events: Option<Phase>,
    /// From the end of the watch with 410 until the handlers have heard what changed meanwhile.
    pub relist: Option<Phase>,
    /// Calls of handlers for events.
    pub calls: u64,
    /// How often a controller reconciled.
    pub reconciles: Option<Counts>,
    /// From the server's write to the handler's call, or to the start of a reconcile that sees it.
    pub latency: Option<Latency>,
    /// From the server's write to the call of the last of the handlers.
    pub latency_last: Option<Latency>,
    /// How long reads of the cache take.
    pub reads: Option<Vec<Reads>>,
}

impl Report {
    /// Prints it.
    pub fn print(&self) -> anyhow::Result<()> {
        println!("{}", serde_json::to_string(self)?);
        Ok(())
    }
}

//! The work queue of informer-controller as a client of the benchmark.

fn main() -> anyhow::Result<()> {
    queue_ours::run(|| None)
}

//! kube-rs as a client of the benchmark, with the default allocator.

use bench_meter::Options;

fn main() -> anyhow::Result<()> {
    client_kube_rs::run(&Options::from_arguments()?, || None)
}

//! kube-informer as a client of the benchmark, with the default allocator.

use bench_meter::Options;

fn main() -> anyhow::Result<()> {
    client_ours::run(&Options::from_arguments()?, || None)
}

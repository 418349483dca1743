//! `informer-gen`: see `informer-gen --help`.

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "informer-gen", version)]
struct Arguments {
    #[command(flatten)]
    command: informer_gen::Command,
}

fn main() -> ExitCode {
    Arguments::parse().command.run()
}

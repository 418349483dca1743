//! The project's own chores: `cargo xtask --help`.

mod bench;
mod book;
mod cargo;
mod ci;
mod cli;
mod codegen;
mod deny;
mod differential;
mod dist;
mod e2e;
mod face;
mod lint;
mod msrv;
mod packages;
mod page;
mod publish;
mod ran;
mod report;
mod soak;
mod tidy;
mod timing;

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::Command;
use crate::ran::Ran;

fn main() -> ExitCode {
    if let Some(code) = face::rustdoc::stand_in().or_else(timing::stand_in) {
        return code;
    }
    match cli::parse(std::env::args().skip(1)).and_then(|command| run(&command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    match command {
        Command::Help => {
            print!("{}", cli::HELP);
            Ok(())
        }
        Command::Ci { long } => ci::run(&e2e::Policy::from_environment(), *long),
        Command::E2e { filters } => report::run(|report| e2e::all_steps(report, filters)),
        Command::Soak(soak) => soak::run(soak, &mut Ran::default()).map(drop),
        Command::Differential(differential) => differential::run(differential),
        Command::Bench { arguments } => bench::run(arguments),
        Command::Tidy => report::run(tidy::step),
        Command::Codegen { check } => report::run(|report| codegen::step(report, *check)),
        Command::Lint { every } => report::run(|report| lint::steps(report, *every)),
        Command::Doc { open } => report::run(|report| publish::docs_rs_step(report, *open)),
        Command::Book => report::run(book::step),
        Command::Dist => report::run(dist::steps),
        Command::Msrv => report::run(msrv::step),
        Command::Deny => report::run(deny::step),
        Command::Face => report::run(face::step),
        Command::Page(asked) => report::run(|report| page::step(report, *asked)),
        Command::Publish => report::run(|report| publish::step(report, true)),
    }
}

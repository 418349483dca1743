//! The command `informer`: watch, get and compare objects through an informer, see how informers are doing, record and replay what
//! they see, and serve an embedded API server.

mod args;
mod clock;
mod cluster;
mod content;
mod diff;
mod ending;
mod failure;
mod get;
mod kinds;
mod kubeconfig;
mod listing;
mod logging;
mod manual;
mod name;
mod output;
mod plain;
mod program;
mod record;
mod refusal;
mod replay;
mod screen;
mod secrets;
mod serve;
mod targets;
mod top;
mod watch;

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::{Action, Color, Command};
use crate::failure::Failure;
use crate::screen::Screen;

#[tokio::main]
async fn main() -> ExitCode {
    let command = name::parse();
    match command.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    // A line of a log has no place on a full screen.
    let is_full_screen = matches!(&command.action, Action::Top(args) if !args.once);
    if !is_full_screen {
        logging::begin(command.verbose);
    }
    match run(&command.action).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

async fn run(action: &Action) -> Result<(), Failure> {
    match action {
        Action::Watch(args) => watch::run(args).await?,
        Action::Get(args) => get::run(args).await?,
        Action::Diff(args) => diff::run(args).await?,
        Action::Top(args) => top::run(args).await?,
        Action::Serve(args) => serve::run(args).await?,
        Action::Record(args) => record::run(args).await?,
        Action::Replay(args) => replay::run(args).await?,
        Action::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Command::command(), "informer", &mut script);
            Screen::new().text(&String::from_utf8_lossy(&script))?;
        }
        Action::Man { directory: None } => Screen::new().text(&manual::page()?)?,
        Action::Man { directory: Some(directory) } => manual::write(directory)?,
    }
    Ok(())
}

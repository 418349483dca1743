//! What the command is called: `informer`, or `kubectl informer` where kubectl finds it as its plugin `kubectl-informer`.

use std::ffi::OsStr;
use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::args::Command;

/// How kubectl finds `kubectl informer` on the PATH.
const PLUGIN: &str = "kubectl-informer";

/// Reads the command line; help and errors name the command as the user called it.
pub(crate) fn parse() -> Command {
    let program = std::env::args_os().next().unwrap_or_default();
    let matches = command(&program).get_matches();
    Command::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The command line of a program that was started under this name.
fn command(program: &OsStr) -> clap::Command {
    let is_plugin = Path::new(program).file_stem().is_some_and(|name| name == PLUGIN);
    if is_plugin { renamed(Command::command()).bin_name("kubectl informer") } else { Command::command() }
}

/// With the examples as a user of kubectl would type them.
fn renamed(command: clap::Command) -> clap::Command {
    let examples = command.get_after_help().map(|help| {
        let help = help.to_string();
        help.replace("\n  informer ", "\n  kubectl informer ")
    });
    let command = match examples {
        Some(examples) => command.after_help(examples),
        None => command,
    };
    command.mut_subcommands(renamed)
}

#[cfg(test)]
mod tests;

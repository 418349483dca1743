//! Manual pages, made from the command line's own descriptions.

use std::path::Path;

use clap::CommandFactory as _;

use crate::args::Command;
use crate::failure::Failure;

/// The page `informer(1)`.
pub(crate) fn page() -> Result<String, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Command::command()).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes that page and one for each subcommand, such as `informer-watch.1`.
pub(crate) fn write(directory: &Path) -> Result<(), Failure> {
    let cannot =
        |error| Failure::local(format!("cannot write manual pages to {}: {error}", directory.display()));
    clap_mangen::generate_to(Command::command(), directory).map_err(cannot)
}

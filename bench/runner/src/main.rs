//! Runs the benchmark: `cargo xtask bench --help`.

mod build;
mod cli;
mod floor;
mod growth;
mod machine;
mod plot;
mod processes;
mod results;
mod scenario;
mod scenarios;
mod statistics;
mod table;

use anyhow::Result;

use crate::cli::Settings;
use crate::results::Results;

fn main() -> Result<()> {
    let Some(settings) = Settings::parse(std::env::args().skip(1))? else {
        print!("{}", cli::HELP);
        return Ok(());
    };
    let clients = build::all(&settings)?;
    let mut results = Results::new(&settings)?;
    for scenario in scenarios::all(&settings) {
        if settings.wants(scenario.name) {
            scenario.run(&settings, &clients, &mut results)?;
        }
    }
    if settings.wants("growth") {
        growth::run(&settings, &clients, &mut results)?;
    }
    results.finish(&clients)
}

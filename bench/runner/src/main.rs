//! Runs the benchmark: `cargo xtask bench --help`.

mod build;
mod cli;
mod controllers;
mod curves;
mod floor;
mod growth;
mod informers;
mod machine;
mod plot;
mod processes;
mod queue;
mod reads;
mod redraw;
mod results;
mod scenario;
mod scenarios;
mod statistics;
mod summary;
mod table;
mod transports;
mod work;

use anyhow::{Context as _, Result};

use crate::build::Programs;
use crate::cli::Settings;
use crate::processes::Server;
use crate::results::Results;

fn main() -> Result<()> {
    let Some(settings) = Settings::parse(std::env::args().skip(1))? else {
        print!("{}", cli::HELP);
        return Ok(());
    };
    if let Some(file) = &settings.redraw {
        return redraw::run(file, settings.plots.as_deref());
    }
    if let Some(files) = &settings.summary {
        return summary::run(files, &settings);
    }
    if settings.wants_only("queue") {
        let mut results = Results::new(&settings)?;
        queue::run(&settings, &mut results)?;
        return results.finish(None);
    }
    let clients = build::all(&settings)?;
    same_in_both_forms(&clients)?;
    let mut results = Results::new(&settings)?;
    for scenario in scenarios::all(&settings) {
        if settings.wants(scenario.name) {
            scenario.run(&settings, &clients, &mut results)?;
        }
    }
    if settings.wants("growth") {
        growth::run(&settings, &clients, &mut results)?;
    }
    if settings.wants("queue") {
        queue::run(&settings, &mut results)?;
    }
    results.finish(clients.client_go.as_ref().err())
}

/// Whether protobuf says what JSON says: only then is a comparison between the two one at all.
fn same_in_both_forms(programs: &Programs) -> Result<()> {
    let Ok(client_go) = &programs.client_go else { return Ok(()) };
    let kinds = ["pods", "configmaps", "secrets", "events", "leases", "endpointslices", "replicasets"];
    for kind in kinds {
        let server = Server::start(programs, &scenarios::server(600, &format!("--kind {kind}")))?;
        processes::compare(&server, client_go, kind).with_context(|| format!("the protobuf of {kind}"))?;
    }
    eprintln!("protobuf and JSON of {} say the same, as client-go reads them", kinds.join(", "));
    Ok(())
}

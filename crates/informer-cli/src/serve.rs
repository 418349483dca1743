//! `informer serve`: the embedded API server on a port.

use std::net::{Ipv4Addr, SocketAddr};

use embedded_apiserver::{EmbeddedApiserver, Simulation};

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::screen::Screen;

/// Writes per second for each simulated node.
const CHANGES_A_NODE: f64 = 1.0;

pub(crate) async fn run(args: &ServeArgs) -> Result<(), Failure> {
    let screen = Screen::new();
    let server = EmbeddedApiserver::new();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listening = server.listen_on(address).await;
    let listening =
        listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
    if let Some(file) = &args.write_kubeconfig {
        let failed = |error| Failure::local(format!("cannot write {}: {error}", file.display()));
        listening.write_kubeconfig(file).map_err(failed)?;
    }
    let _simulation = match args.simulate {
        Some(nodes) => {
            #[allow(clippy::cast_precision_loss)]
            let simulation = Simulation::new(1).nodes(nodes).rate(nodes as f64 * CHANGES_A_NODE);
            Some(simulation.run(&server))
        }
        None => None,
    };
    screen.line(&format!("serving at {}", listening.url()))?;
    match &args.write_kubeconfig {
        Some(file) => screen.line(&format!("try: kubectl --kubeconfig {} get pods -A", file.display()))?,
        None => screen.line(&format!("try: kubectl --server {} get pods -A", listening.url()))?,
    }
    tokio::signal::ctrl_c()
        .await
        .map_err(|error| Failure::local(format!("cannot wait for Ctrl-C: {error}")))?;
    if screen.is_terminal() {
        screen.note(""); // after the ^C that the terminal shows
    }
    listening.stop().await;
    Ok(())
}

//! `informer serve`: the embedded API server on a port.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::SystemTime;

use embedded_apiserver::{BuiltinController, EmbeddedApiserver, Simulation};

use crate::args::{ControllerName, ServeArgs};
use crate::ending::asked_to_end;
use crate::failure::Failure;
use crate::kubeconfig;
use crate::screen::Screen;

/// Writes per second for each simulated node.
const CHANGES_A_NODE: f64 = 1.0;

pub(crate) async fn run(args: &ServeArgs) -> Result<(), Failure> {
    let screen = Screen::new();
    let controllers = args.controllers.iter().map(|name| match name {
        ControllerName::Gc => BuiltinController::GarbageCollector,
        ControllerName::Namespace => BuiltinController::Namespace,
    });
    let builder = EmbeddedApiserver::builder().first_version(first_version()).only_hosts(args.hosts.clone());
    let server = builder.controllers(controllers).build();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listening = server.listen_on(address).await;
    let listening =
        listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
    if let Some(file) = &args.write_kubeconfig {
        kubeconfig::write(file, &listening.kubeconfig())?;
    }
    let _simulation = match args.simulate {
        Some(nodes) => {
            #[allow(clippy::cast_precision_loss)]
            let simulation = Simulation::new(1).nodes(nodes).rate(nodes as f64 * CHANGES_A_NODE);
            Some(simulation.run(&server))
        }
        None => None,
    };
    screen.line(&format!("serving at {}, in memory: all objects are gone when it stops", listening.url()))?;
    match &args.write_kubeconfig {
        Some(file) => screen.line(&format!("try: kubectl --kubeconfig {} get pods -A", file.display()))?,
        None => screen.line(&format!("try: kubectl --server {} get pods -A", listening.url()))?,
    }
    asked_to_end().await;
    if screen.is_terminal() {
        screen.note(""); // after the ^C that the terminal shows
    }
    listening.stop().await;
    Ok(())
}

/// Microseconds since 1970: above every version that an earlier server on the same port has reached, so that a client that
/// outlives a restart gets 410 at once instead of waiting for versions that mean something else now.
fn first_version() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(1)
}

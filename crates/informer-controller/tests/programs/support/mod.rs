//! Servers and programs.

mod program;
mod relay;
mod server;

use std::future::Future;
use std::time::Duration;

pub(crate) use self::program::Program;
pub(crate) use self::relay::{Cut, Relay, Sent};
pub(crate) use self::server::Server;

/// Nothing takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so; the error says what is instead.
pub(crate) async fn eventually<F: Future<Output = Result<(), String>>>(
    what: &str,
    mut look: impl FnMut() -> F,
) {
    let (mut last, mut pause) = (String::new(), tokio::time::interval(Duration::from_millis(50)));
    let looking = async {
        while let Err(why) = look().await {
            last = why;
            pause.tick().await;
        }
    };
    if tokio::time::timeout(PATIENCE, looking).await.is_err() {
        panic!("{what}: {last}");
    }
}

/// Stories as tests, on the server that a suite has: the embedded one or the real one.
macro_rules! stories {
    ($($story:ident),*) => {
        mod on_a_server {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $story() {
                let name = concat!(module_path!(), "::", stringify!($story));
                let Some(server) = crate::server(name).await else { return };
                super::$story(&server).await;
                server.end().await;
            })*
        }
    };
}
pub(crate) use stories;

//! What `tests/conformance` asks of the embedded server, asked of a real kube-apiserver, which all tests
//! share; and what only that one speaks. Run with `cargo xtask e2e`.

#[path = "../conformance/bookmarks.rs"]
mod bookmarks;
#[path = "../conformance/encoding.rs"]
mod encoding;
mod encodings;
#[path = "../conformance/list.rs"]
mod list;
#[path = "../conformance/paging.rs"]
mod paging;
#[path = "../conformance/streaming.rs"]
mod streaming;
#[allow(dead_code, reason = "shared with the suite on the embedded server")]
#[path = "../conformance/support/mod.rs"]
mod support;
#[path = "../conformance/transitions.rs"]
mod transitions;
#[path = "../conformance/watch.rs"]
mod watch;
#[path = "../conformance/writes.rs"]
mod writes;

use anyhow::Result;

use crate::support::server::Server;
use crate::support::wire::Api;

/// A connection and a namespace of its own for this test, or `None` after saying why it is skipped.
async fn api(test: &str) -> Result<Option<Api>> {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip(test, &why);
        return Ok(None);
    }
    let server = tokio::task::spawn_blocking(Server::real).await?;
    Ok(Some(Api::connect(server, test).await?))
}

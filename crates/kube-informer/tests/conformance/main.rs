//! What the wire protocol promises, one test per statement (`p_001` is P-001), asked of the embedded server
//! over plain HTTP, one for each test. `tests/conformance_real` asks the same of a real kube-apiserver.

mod bookmarks;
mod encoding;
mod list;
mod paging;
mod streaming;
#[allow(dead_code, reason = "shared with the suite on the real server")]
mod support;
mod transitions;
mod watch;
mod writes;

use anyhow::Result;

use crate::support::server::Server;
use crate::support::wire::Api;

/// A server of its own for this test, with a connection to it and a namespace.
async fn api(test: &str) -> Result<Option<Api>> {
    Ok(Some(Api::connect(Server::embedded().await?, test).await?))
}

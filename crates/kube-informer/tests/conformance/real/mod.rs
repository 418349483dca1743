//! The suite on a real kube-apiserver, which is shared by all tests. Skipped where there is none.

#[path = "../bookmarks.rs"]
mod bookmarks;
#[path = "../encoding.rs"]
mod encoding;
#[path = "../list.rs"]
mod list;
#[path = "../paging.rs"]
mod paging;
#[path = "../streaming.rs"]
mod streaming;
#[path = "../transitions.rs"]
mod transitions;
#[path = "../watch.rs"]
mod watch;
#[path = "../writes.rs"]
mod writes;

use anyhow::Result;

use crate::support::server::{self, Server};
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

/// The same for a test that needs YAML, protobuf, Table or gzip.
async fn api_of_many_encodings(test: &str) -> Result<Option<Api>> {
    Ok(server::of_many_encodings(test, api(test).await?))
}

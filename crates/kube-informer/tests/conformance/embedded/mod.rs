//! The suite on the embedded server, one for each test. Never skipped, but for what that server does not speak.

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

/// A server of its own for this test, with a connection to it and a namespace.
async fn api(test: &str) -> Result<Option<Api>> {
    Ok(Some(Api::connect(Server::embedded().await?, test).await?))
}

/// The same for a test that needs YAML, protobuf, Table or gzip.
async fn api_of_many_encodings(test: &str) -> Result<Option<Api>> {
    Ok(server::of_many_encodings(test, api(test).await?))
}

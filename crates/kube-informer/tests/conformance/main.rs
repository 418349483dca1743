//! What the wire protocol promises, one test per statement (`p_001` is P-001), asked of a server over plain HTTP.
//! Run with `cargo xtask e2e`.

mod bookmarks;
mod encoding;
mod list;
mod paging;
mod server;
mod streaming;
mod transitions;
mod watch;
mod wire;
mod writes;

//! What the wire protocol promises, one test per statement (`p_001` is P-001), asked of a server over plain HTTP: of the
//! embedded one always, of a real kube-apiserver with `cargo xtask e2e`.

#![expect(clippy::duplicate_mod, reason = "the same tests for both servers")]

mod embedded;
mod real;
mod support;

//! The files that the guide tells people to write.

#[expect(dead_code, reason = "it needs a cluster")]
mod elected_rs;
pub(crate) mod lib_rs;
#[expect(dead_code, reason = "it needs a cluster")]
mod main_rs;

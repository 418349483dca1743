//! The files that the guide tells people to write.

pub(crate) mod lib_rs;
#[expect(dead_code, reason = "it needs a cluster")]
mod main_rs;

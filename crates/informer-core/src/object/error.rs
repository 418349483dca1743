//! What decoding says when it fails, without giving secrets away.

use std::panic::{AssertUnwindSafe, catch_unwind};

use informer_wire::json;

use crate::panics::panic_text;

/// What serde said; only the place where it may not quote.
pub fn describe(error: &serde_json::Error, sensitive: bool) -> String {
    if sensitive { json::position(error) } else { error.to_string() }
}

/// Runs a user's `Deserialize`. A panic of it is an error like any other.
pub fn attempt<T>(
    sensitive: bool,
    decode: impl FnOnce() -> Result<T, serde_json::Error>,
) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(result) => result.map_err(|error| describe(&error, sensitive)),
        Err(_) if sensitive => Err("the type's Deserialize panicked".to_owned()),
        Err(payload) => Err(format!("the type's Deserialize panicked: {}", panic_text(&*payload))),
    }
}

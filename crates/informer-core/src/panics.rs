//! The texts of caught panics, and what takes their place where they could give a secret away.

use std::any::Any;

/// Replaces the message of a user function about a sensitive object.
pub const WITHHELD: &str = "(not told, since it may quote the object, which is of a sensitive kind)";

/// The text of a caught panic of the user's code. For sensitive kinds it is replaced, because it may quote the object.
pub fn user_panic(payload: &(dyn Any + Send), sensitive: bool) -> String {
    if sensitive { WITHHELD.to_owned() } else { panic_text(payload) }
}

/// The text of a caught panic.
pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panicked with a value that is not text".to_owned())
}

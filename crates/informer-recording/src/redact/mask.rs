//! What stands in the place of a secret: nothing of it but about how long it was.

/// Letters in the place of a text. The length is that of the text, rounded up to a power of two, so that a replay moves
/// about as many bytes.
pub(crate) fn letters(length: usize) -> String {
    "x".repeat(class(length))
}

/// The same in base64, for values that are read as such.
pub(super) fn base64(length: usize) -> String {
    // Four characters stand for `xxx`.
    "eHh4".repeat(class(length).div_ceil(4))
}

fn class(length: usize) -> usize {
    match length {
        0 => 0,
        length => length.checked_next_power_of_two().unwrap_or(length),
    }
}

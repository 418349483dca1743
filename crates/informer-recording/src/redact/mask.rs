//! What stands in the place of a secret: nothing of it but about how long it was.

/// No more than this stands in the place of one text. It takes next to nothing in a file, but all of it in the memory of whoever
/// reads the file, and there may be very many.
const LONGEST_STAND_IN: usize = 64 << 10;

/// Letters in the place of a text. The length is that of the text, rounded up to a power of two, so that a replay moves
/// about as many bytes, and at most [`LONGEST_STAND_IN`].
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
        length => length.min(LONGEST_STAND_IN).next_power_of_two(),
    }
}

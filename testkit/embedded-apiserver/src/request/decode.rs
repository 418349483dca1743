//! Percent-encoding in paths and queries.

/// The text without percent-encoding; `None` if a `%` is not followed by two hexadecimal digits. Bytes that are not
/// UTF-8 become the replacement character.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            decoded.push(byte);
            rest = after;
            continue;
        }
        let (&[high, low], after) = after.split_first_chunk()?;
        decoded.push(16 * digit(high)? + digit(low)?);
        rest = after;
    }
    Some(match String::from_utf8(decoded) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

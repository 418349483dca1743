//! Texts with a form of their own: times and base64.

use k8s_openapi::jiff::Timestamp;

/// A time as the server writes it: in UTC, with seconds or microseconds.
pub(super) fn time(text: &str, has_microseconds: bool) -> Result<String, String> {
    let go_layout =
        if has_microseconds { "2006-01-02T15:04:05.000000Z07:00" } else { "2006-01-02T15:04:05Z07:00" };
    let cannot = |rest: &str, wanted: &str| {
        Err(format!("parsing time {text:?} as {go_layout:?}: cannot parse {rest:?} as {wanted:?}"))
    };
    let Ok(time) = text.parse::<Timestamp>() else { return cannot(text, "2006") };
    let layout = if has_microseconds { "%Y-%m-%dT%H:%M:%S.%6fZ" } else { "%Y-%m-%dT%H:%M:%SZ" };
    // A time with microseconds has exactly six digits of them.
    let rest = text.get("2006-01-02T15:04:05".len()..).unwrap_or_default();
    let digits = rest.strip_prefix('.').map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if has_microseconds && digits != Some(6) {
        cannot(rest, ".000000")
    } else {
        Ok(time.strftime(layout).to_string())
    }
}

/// Checks base64 as Go reads it: padded, with line breaks anywhere.
pub(super) fn base64(text: &str) -> Result<(), String> {
    let bad = |at: usize| Err(format!("illegal base64 data at input byte {at}"));
    let mut count = 0;
    let mut padding = 0;
    let mut last = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n')) {
        match byte {
            b'=' if padding == 0 && count % 4 < 2 || padding > 1 => return bad(at),
            b'=' => padding += 1,
            _ if padding > 0 => return bad(at),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {}
            _ => return bad(at),
        }
        count += 1;
        last = at;
    }
    match count % 4 {
        0 => Ok(()),
        rest => bad(last + 1 - rest),
    }
}

//! Values in texts that have the name of a secret: `password: …`, `"token": "…"`, `DB_PASS=…`, `--password …`, and the password in
//! `https://user:password@host`.

use std::ops::Range;

use super::super::names::is_secret;
use super::length_of;

/// Where they are.
pub(super) fn values_of_secret_names(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(b':', b'=', bytes) {
        found.extend(match bytes[at..].starts_with(b"://") {
            true => password_of_address(bytes, at + 3),
            false => value_of_pair(text, at),
        });
    }
    let flags = text.match_indices("--").filter_map(|(at, _)| value_of_flag(text, at));
    found.extend(flags);
    found
}

/// Whether it is the name of a flag whose value, which is a secret, is the next argument.
pub(in crate::redact) fn is_flag_of_secret(argument: &str) -> bool {
    argument.starts_with('-') && argument.bytes().all(is_of_name) && is_secret(argument)
}

/// The password in an address, of which this is where the user begins.
fn password_of_address(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let is_of_authority = |byte: u8| {
        byte > b' ' && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\')
    };
    let authority = &bytes[start..start + length_of(&bytes[start..], is_of_authority)];
    let end = start + memchr::memrchr(b'@', authority)?;
    let password = start + memchr::memchr(b':', authority)? + 1;
    (password < end).then_some(password..end)
}

/// The value after `:` or `=`, which is at this place, if the name before it is that of a secret.
fn value_of_pair(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = end_without(bytes, at, |byte| matches!(byte, b' ' | b'\t'));
    let unquoted = match before.checked_sub(1).map(|last| bytes[last]) {
        Some(b'"' | b'\'') => end_without(bytes, before - 1, |byte| byte == b'\\'),
        _ => before,
    };
    let name = end_without(bytes, unquoted, is_of_name);
    if name == unquoted || !is_secret(&text[name..unquoted]) {
        return None;
    }
    // `:=`, `==`, `=>`
    let after = at + 1 + length_of(&bytes[at + 1..], |byte| matches!(byte, b'=' | b'>'));
    let value = after + length_of(&bytes[after..], |byte| matches!(byte, b' ' | b'\t'));
    let value = without_scheme(bytes, value);
    let is_spaced = value > after;
    if let Some(quoted) = quoted(bytes, value) {
        return Some(quoted).filter(|quoted| !quoted.is_empty());
    }
    let line = bytes[..name].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let is_first =
        bytes[line..name].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'#'));
    let is_colon = bytes[at] == b':' && after == at + 1;
    let rest = rest_of_line(bytes, value);
    match bytes.get(value)? {
        // A name after a colon without a blank is one of several words, as in `external-secrets:v1`.
        _ if is_colon && !is_spaced && unquoted == before => None,
        b'|' | b'>' if is_colon && is_first && is_head_of_block(&bytes[rest.clone()]) => {
            block(bytes, rest.end, name - line)
        }
        // Its members have names of their own.
        b'{' if is_colon => None,
        b'[' => Some(value + 1..value + 1 + length_of(&bytes[value + 1..], |byte| byte != b']')),
        // A flag has others after it, and a line of a file is about one thing.
        _ if is_first && (is_spaced || bytes[name] != b'-') => Some(rest),
        _ => Some(word(bytes, value)),
    }
    .filter(|value| !value.is_empty() && !says_nothing(&bytes[value.clone()]))
}

/// The value after a flag that begins at this place and ends with a blank.
fn value_of_flag(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let end = at + length_of(&bytes[at..], is_of_name);
    let value = end + length_of(&bytes[end..], |byte| byte == b' ');
    if value == end || bytes.get(value)? == &b'-' || !is_secret(&text[at..end]) {
        return None;
    }
    Some(quoted(bytes, value).unwrap_or_else(|| word(bytes, value))).filter(|value| !value.is_empty())
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Where the text before this place ends, without what belongs to something else.
fn end_without(bytes: &[u8], end: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes[..end].iter().rposition(|byte| !belongs(*byte)).map_or(0, |last| last + 1)
}

/// Of `Bearer …` it is known what it is, and that is no secret.
fn without_scheme(bytes: &[u8], at: usize) -> usize {
    let is = |scheme: &&[u8]| {
        bytes[at..].get(..scheme.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(scheme))
    };
    let schemes: [&[u8]; 2] = [b"bearer ", b"basic "];
    at + schemes.iter().find(|scheme| is(scheme)).map_or(0, |scheme| scheme.len())
}

/// What stands in quotes that begin here. Texts within texts have quotes with backslashes before them, as many as deep they are.
fn quoted(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let depth = length_of(&bytes[at..], |byte| byte == b'\\');
    let quote = *bytes.get(at + depth).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let start = at + depth + 1;
    let backslashes = |at: usize| at - end_without(bytes, at, |byte| byte == b'\\').max(start);
    let mut ends = memchr::memchr_iter(quote, &bytes[start..]).map(|end| start + end);
    let mut twice = None;
    let end = ends.find(|end| {
        // In YAML two of these are one.
        let is_half = quote == b'\'' && (twice == Some(*end) || bytes.get(end + 1) == Some(&quote));
        twice = (is_half && twice != Some(*end)).then_some(end + 1);
        backslashes(*end) == depth && !is_half
    });
    Some(start..end.map_or(bytes.len(), |end| end - depth))
}

/// Up to a blank, a quote, what ends a parameter, or an escaped line break or quote.
fn word(bytes: &[u8], at: usize) -> Range<usize> {
    let ends = |place: usize| match bytes[place] {
        b'"' | b'\'' | b'`' | b'&' => true,
        b'\\' => {
            bytes.get(place + 1).is_none_or(|next| matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\'))
        }
        byte => byte.is_ascii_whitespace(),
    };
    let end = (at..bytes.len()).find(|place| ends(*place)).unwrap_or(bytes.len());
    at..end_without(bytes, end, |byte| matches!(byte, b',' | b';' | b'}' | b']')).max(at)
}

fn rest_of_line(bytes: &[u8], at: usize) -> Range<usize> {
    let end = at + length_of(&bytes[at..], |byte| byte != b'\n');
    at..end_without(bytes, end, |byte| byte.is_ascii_whitespace()).max(at)
}

/// Whether this is how YAML begins a text of several lines.
fn is_head_of_block(rest: &[u8]) -> bool {
    let head = length_of(rest, |byte| byte.is_ascii_digit() || matches!(byte, b'|' | b'>' | b'+' | b'-'));
    head <= 3 && matches!(rest[head..].trim_ascii_start().first(), None | Some(b'#'))
}

/// The lines from here on that are blank or begin further to the right than their name does.
fn block(bytes: &[u8], at: usize, column: usize) -> Option<Range<usize>> {
    let first = at + 1 + memchr::memchr(b'\n', bytes.get(at..)?)?;
    let mut end = first;
    for line in bytes[first..].split_inclusive(|byte| *byte == b'\n') {
        let indent = length_of(line, |byte| matches!(byte, b' ' | b'\t'));
        if indent <= column && !line.trim_ascii().is_empty() {
            break;
        }
        end += line.len();
    }
    let whole = bytes[first..end].trim_ascii();
    let start = first + length_of(&bytes[first..end], |byte| byte.is_ascii_whitespace());
    Some(start..start + whole.len())
}

/// What stands for no value, or for a value that is no text.
fn says_nothing(value: &[u8]) -> bool {
    matches!(value, b"true" | b"false" | b"null" | b"~")
}

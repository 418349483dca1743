//! Values in texts that have the name of a secret: `password: …`, `"token": "…"`, `DB_PASS=…`, `--password …`, and the password in
//! `https://user:password@host`.

use std::ops::Range;

use super::super::names::is_secret;
use super::length_of;

/// Where they are.
pub(super) fn values_of_secret_names(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut known = Known::default();
    for at in memchr::memchr2_iter(b':', b'=', bytes) {
        found.extend(if bytes[at..].starts_with(b"://") {
            password_of_address(bytes, at + 3)
        } else {
            value_of_pair(text, at, &mut known)
        });
    }
    let mut known = Known::default();
    let mut end = 0;
    for (at, _) in text.match_indices("--") {
        // Within the name that was looked at last there is no other.
        if at >= end {
            end = at + length_of(&bytes[at..], is_of_name);
            found.extend(value_of_flag(text, at..end, &mut known));
        }
    }
    found
}

/// What the pairs before have shown of the text around the next one: a text of a megabyte on one line would be searched once for
/// each of its pairs otherwise. It is asked about places in their order.
#[derive(Default)]
struct Known {
    /// The line that the last name was in: where it begins, and where what may stand before its first name ends.
    line: Option<Range<usize>>,
    /// Up to here lines have been looked for.
    seen: usize,
    word: Ahead,
    bracket: Ahead,
    /// The end of the last text of several lines.
    block: usize,
}

/// What was searched for forwards, from where, and where it is: from between the two it is the same.
#[derive(Default)]
struct Ahead(Option<(usize, Range<usize>)>);

impl Ahead {
    fn of(&mut self, at: usize, search: impl FnOnce() -> Range<usize>) -> Range<usize> {
        match &self.0 {
            Some((from, found)) if (*from..=found.end).contains(&at) => found.clone(),
            _ => self.0.insert((at, search())).1.clone(),
        }
    }
}

impl Known {
    /// Where the line of a name begins, and whether it is the first one there.
    fn line(&mut self, bytes: &[u8], name: usize) -> (usize, bool) {
        let begin = memchr::memrchr(b'\n', &bytes[self.seen..name]).map(|end| self.seen + end + 1);
        self.seen = name;
        let line = match (begin, self.line.take()) {
            (None, Some(line)) => line,
            (begin, _) => {
                let begin = begin.unwrap_or(0);
                let is_before_names = |byte| matches!(byte, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'#');
                begin..begin + length_of(&bytes[begin..], is_before_names)
            }
        };
        let known = (line.start, name <= line.end);
        self.line = Some(line);
        known
    }

    /// Up to a blank, a quote, what ends a parameter, or an escaped line break or quote.
    fn word(&mut self, bytes: &[u8], at: usize) -> Range<usize> {
        let ends = |place: usize| match bytes[place] {
            b'"' | b'\'' | b'`' | b'&' => true,
            b'\\' => bytes
                .get(place + 1)
                .is_none_or(|next| matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'\\')),
            byte => byte.is_ascii_whitespace(),
        };
        let end = self.word.of(at, || {
            let end = (at..bytes.len()).find(|place| ends(*place)).unwrap_or(bytes.len());
            end_without(bytes, end, |byte| matches!(byte, b',' | b';' | b'}' | b']'))..end
        });
        at..end.start.max(at)
    }

    /// What stands in the bracket before this place.
    fn in_bracket(&mut self, bytes: &[u8], at: usize) -> Range<usize> {
        let end = self.bracket.of(at, || {
            let end = memchr::memchr(b']', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            end..end
        });
        at..end.end
    }
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
fn value_of_pair(text: &str, at: usize, known: &mut Known) -> Option<Range<usize>> {
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
    let (line, is_first) = known.line(bytes, name);
    let is_colon = bytes[at] == b':' && after == at + 1;
    match bytes.get(value)? {
        // A name after a colon without a blank is one of several words, as in `external-secrets:v1`.
        _ if is_colon && !is_spaced && unquoted == before => None,
        b'|' | b'>' if is_colon && is_first && is_head_of_block(&bytes[rest_of_line(bytes, value)]) => {
            // One within another ends before it does.
            let block =
                (at >= known.block).then(|| block(bytes, rest_of_line(bytes, value).end, name - line))??;
            known.block = block.end;
            Some(block)
        }
        // Its members have names of their own.
        b'{' if is_colon => None,
        b'[' => Some(known.in_bracket(bytes, value + 1)),
        // A flag has others after it, and a line of a file is about one thing.
        _ if is_first && (is_spaced || bytes[name] != b'-') => Some(rest_of_line(bytes, value)),
        _ => Some(known.word(bytes, value)),
    }
    .filter(|value| !value.is_empty() && !says_nothing(&bytes[value.clone()]))
}

/// The value after a flag, which ends with a blank.
fn value_of_flag(text: &str, flag: Range<usize>, known: &mut Known) -> Option<Range<usize>> {
    let (bytes, end) = (text.as_bytes(), flag.end);
    let value = end + length_of(&bytes[end..], |byte| byte == b' ');
    if value == end || bytes.get(value)? == &b'-' || !is_secret(&text[flag]) {
        return None;
    }
    Some(quoted(bytes, value).unwrap_or_else(|| known.word(bytes, value))).filter(|value| !value.is_empty())
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

fn rest_of_line(bytes: &[u8], at: usize) -> Range<usize> {
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
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

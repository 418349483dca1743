//! Credentials within texts: `--token=…` among the arguments of a container, a kubeconfig in a ConfigMap.

mod pairs;
mod tokens;

use std::ops::Range;

pub(super) use self::pairs::is_flag_of_secret;
use self::pairs::values_of_secret_names;
use self::tokens::tokens;
use super::mask;

/// What follows `Bearer` or `Basic` and is shorter is a word like others, unless it looks like a credential.
const SHORTEST: usize = 16;

/// Words after which a credential follows, as in the header `Authorization`.
#[derive(Clone, Copy)]
enum Scheme {
    Bearer,
    Basic,
}

/// The role of a text.
#[derive(Clone, Copy, PartialEq)]
enum TextRole {
    Anywhere,
    /// It names an object. Names may look like bootstrap tokens, as those of events do: `broker.17a2b3c4d5e6f708`.
    Name,
}

/// The text without its credentials, if there are any.
pub(crate) fn without_credentials(text: &str) -> Option<String> {
    without(text, TextRole::Anywhere)
}

/// The same of a text that says which object is meant.
pub(super) fn name_without_credentials(text: &str) -> Option<String> {
    without(text, TextRole::Name)
}

fn without(text: &str, role: TextRole) -> Option<String> {
    if text.contains("PRIVATE KEY-----") {
        return Some(mask::letters(text.len()));
    }
    let found = credentials(text, role);
    if found.is_empty() {
        return None;
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for place in apart(found) {
        out.push_str(&text[at..place.start]);
        out.push_str(&mask::letters(place.len()));
        at = place.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// The same places in their order, of which none begins within another.
fn apart(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_by_key(|place| place.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        match apart.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => apart.push(place),
        }
    }
    apart
}

fn credentials(text: &str, role: TextRole) -> Vec<Range<usize>> {
    let mut found = match role {
        TextRole::Anywhere => values_of_secret_names(text),
        TextRole::Name => Vec::new(),
    };
    let (mut at, mut scheme) = (0, None::<Scheme>);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        // What is measured here is ASCII, so it begins and ends between characters.
        let length = length_of(rest, is_of_word);
        if length == 0 {
            at += 1;
            continue;
        }
        if let Some(scheme) = scheme.take() {
            let length = length_of(rest, is_of_credential);
            if scheme.is_followed_by(&text[at..at + length]) {
                found.push(at..at + length);
                at += length;
                continue;
            }
        }
        let word = &text[at..at + length];
        found.extend(tokens(word, role).map(|token| at + token.start..at + token.end));
        scheme = Scheme::of(word);
        at += length;
    }
    found
}

fn length_of(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !belongs(*byte)).unwrap_or(bytes.len())
}

/// Characters of tokens and of base64. `=` is not one of them: it stands before tokens, as in `--token=…`.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'~')
}

/// Characters of what follows a scheme, where nothing says what it is made of: `12|abc…`, `YTpi==`. All but blanks, and what
/// texts put around it.
fn is_of_credential(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'\'' | b'`' | b',' | b';' | b'\\' | b'<' | b'>' | b'(' | b')' | b'{' | b'}'
        )
}

impl Scheme {
    fn of(word: &str) -> Option<Self> {
        let is = |scheme: &str| word.eq_ignore_ascii_case(scheme);
        if is("bearer") {
            Some(Self::Bearer)
        } else if is("basic") {
            Some(Self::Basic)
        } else {
            None
        }
    }

    /// Whether this is a credential, and not a word as in `basic things`.
    fn is_followed_by(self, text: &str) -> bool {
        let is_short_one = match self {
            Self::Bearer => text.bytes().any(|byte| byte.is_ascii_digit()),
            Self::Basic => is_name_and_password(text),
        };
        text.len() >= SHORTEST || is_short_one
    }
}

/// Whether this is base64 of a name, a colon and a password.
fn is_name_and_password(text: &str) -> bool {
    let digits = text.trim_end_matches('=').bytes().map(|byte| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    });
    let Some(digits) = digits.collect::<Option<Vec<u8>>>() else { return false };
    // Four digits of six bits are three bytes.
    let bits = digits.iter().flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1));
    let bits: Vec<u8> = bits.collect();
    let bytes = bits.chunks_exact(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
    String::from_utf8(bytes).is_ok_and(|text| text.contains(':') && !text.chars().any(char::is_control))
}

#[cfg(test)]
mod tests;

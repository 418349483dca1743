//! Credentials within texts: `--token=…` among the arguments of a container, a kubeconfig in a ConfigMap.

use std::ops::Range;

use super::mask;

/// Words after which a credential follows, as in the header `Authorization`.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// What follows such a word and is shorter is a word like others.
const SHORTEST: usize = 16;

/// No token of the kinds below is shorter: the parts of a web token have four characters or more each.
const SHORTEST_TOKEN: usize = 14;

/// The text without its credentials, if there are any.
pub(crate) fn without_credentials(text: &str) -> Option<String> {
    if text.contains("PRIVATE KEY-----") {
        return Some(mask::letters(text.len()));
    }
    let found = credentials(text);
    if found.is_empty() {
        return None;
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for place in found {
        out.push_str(&text[at..place.start]);
        out.push_str(&mask::letters(place.len()));
        at = place.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

fn credentials(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut at, mut follows_scheme) = (0, false);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let length = rest.iter().position(|byte| !is_of_word(*byte)).unwrap_or(rest.len());
        if length > 0 {
            // A word is ASCII, so it begins and ends between characters.
            let word = &text[at..at + length];
            let is_credential = length >= SHORTEST_TOKEN && (is_web_token(word) || is_bootstrap_token(word));
            if is_credential || (follows_scheme && length >= SHORTEST) {
                found.push(at..at + length);
            }
            follows_scheme = SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
        }
        // What follows it is no part of a word.
        at += length + 1;
    }
    found
}

/// Characters of tokens and of base64. `=` is not one of them: it stands before tokens, as in `--token=…`.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'~')
}

/// A JSON Web Token: three parts in base64, of which the first begins with `{"`.
fn is_web_token(word: &str) -> bool {
    let Some(start) = word.find("eyJ") else { return false };
    let mut parts = word[start..].split('.');
    let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 4);
    long(parts.next()) && long(parts.next()) && long(parts.next())
}

/// A bootstrap token, such as kubeadm makes: `abcdef.0123456789abcdef`.
fn is_bootstrap_token(word: &str) -> bool {
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
    word.split_once('.')
        .is_some_and(|(id, secret)| id.len() == 6 && secret.len() == 16 && plain(id) && plain(secret))
}

//! Tokens that are known by their form.

use std::ops::Range;

use super::{TextRole, length_of};

/// No token of the kinds below is shorter: the parts of a web token have four characters or more each.
const SHORTEST: usize = 14;

/// The parts of a bootstrap token.
const ID: usize = 6;
const SECRET: usize = 16;

/// What issuers put before their tokens, so that scanners find them, and how long the rest is at least. Names of objects can
/// begin with the last four only: they have neither capital letters nor `_`.
const ISSUED: [(&str, usize); 17] = [
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("npm_", 30),
    ("hf_", 30),
    ("dckr_pat_", 16),
    ("AIza", 30),
    ("glpat-", 16),
    ("sk-", 16),
    ("xox", 10),
    ("xapp-", 16),
];

/// The keys of AWS, which have capital letters and digits only, and always as many.
const OF_AWS: [&str; 2] = ["AKIA", "ASIA"];
const AFTER_AWS: usize = 16;

/// Where there are tokens in a word, which is made of the characters of tokens.
pub(super) fn tokens(word: &str, role: TextRole) -> impl Iterator<Item = Range<usize>> {
    let is_long = word.len() >= SHORTEST;
    let web = (is_long && is_web_token(word)).then_some(0..word.len());
    let others = is_long && web.is_none();
    let issued = others.then(|| issued(word, role)).into_iter().flatten();
    let bootstrap = (others && role == TextRole::Anywhere).then(|| bootstrap_tokens(word));
    web.into_iter().chain(issued).chain(bootstrap.into_iter().flatten())
}

/// A JSON Web Token: three parts in base64, of which the first begins with `{"`.
fn is_web_token(word: &str) -> bool {
    let Some(start) = word.find("eyJ") else { return false };
    let mut parts = word[start..].split('.');
    let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 4);
    long(parts.next()) && long(parts.next()) && long(parts.next())
}

/// Bootstrap tokens, such as kubeadm makes: `abcdef.0123456789abcdef`. They may stand within a path or at the end of a sentence.
fn bootstrap_tokens(word: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = word.as_bytes();
    let is_plain = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
    let ends_it = |byte: &u8| matches!(byte, b'.' | b'/' | b'+' | b'~');
    word.match_indices('.').filter_map(move |(dot, _)| {
        let (start, end) = (dot.checked_sub(ID)?, dot + 1 + SECRET);
        let (id, secret) = (bytes.get(start..dot)?, bytes.get(dot + 1..end)?);
        let stands_alone =
            bytes[..start].last().is_none_or(ends_it) && bytes[end..].first().is_none_or(ends_it);
        (is_plain(id) && is_plain(secret) && stands_alone).then_some(start..end)
    })
}

/// Tokens that say who issued them.
fn issued(word: &str, role: TextRole) -> impl Iterator<Item = Range<usize>> {
    let bytes = word.as_bytes();
    let begins = move |start: usize| start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
    let starts = (0..bytes.len()).filter(move |start| begins(*start));
    // All that begin before this place end there, so it is looked for once for all of them. What is found reaches up to there.
    let (mut end, mut found) = (0, 0);
    starts.filter_map(move |start| {
        if start < found {
            return None;
        }
        if start >= end {
            end = start + length_of(&bytes[start..], is_of_issued);
        }
        let stands_alone = start == 0 || !is_of_issued(bytes[start - 1]);
        let is_one = is_issued(&word[start..end], stands_alone, role);
        is_one.then(|| {
            found = end;
            start..end
        })
    })
}

fn is_of_issued(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Whether a text begins as tokens do and goes on like one, and not like a name: `sk-` may also be an application.
fn is_issued(text: &str, stands_alone: bool, role: TextRole) -> bool {
    let after = |begins: &str| text.strip_prefix(begins);
    let is_of_aws = OF_AWS.iter().filter_map(|begins| after(begins)).any(|rest| {
        let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        length_of(rest.as_bytes(), is_capital) == AFTER_AWS
            && rest.as_bytes().get(AFTER_AWS).is_none_or(|next| !next.is_ascii_alphanumeric())
    });
    let is_token = |begins: &str, rest: &str| match begins {
        "glpat-" | "sk-" | "xox" | "xapp-" => {
            let has = |is: fn(&u8) -> bool| rest.as_bytes().iter().any(is);
            let has_what_names_lack = || role == TextRole::Anywhere || has(u8::is_ascii_uppercase);
            // First, since the rest is looked through only once then.
            stands_alone && has(u8::is_ascii_digit) && has_what_names_lack()
                // `xoxb-`, `xoxp-` and others.
                && (begins != "xox" || rest.as_bytes()[1] == b'-')
        }
        _ => true,
    };
    let mut known = ISSUED.iter().filter_map(|(begins, shortest)| Some((*begins, *shortest, after(begins)?)));
    is_of_aws || known.any(|(begins, shortest, rest)| rest.len() >= shortest && is_token(begins, rest))
}

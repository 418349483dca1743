//! Expressions of licences, such as `(MIT OR Apache-2.0) AND Unicode-3.0`.

use std::collections::BTreeSet;
use std::iter::Peekable;

/// Whether an expression can be fulfilled with these licences; `None` if it is not one.
pub(crate) fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> Option<bool> {
    // Older crates write `MIT/Apache-2.0` for either.
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let answer = either(&mut words, allowed)?;
    words.next().is_none().then_some(answer)
}

fn either<'a>(
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    allowed: &BTreeSet<String>,
) -> Option<bool> {
    let mut answer = both(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        answer |= both(words, allowed)?;
    }
    Some(answer)
}

fn both<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut answer = one(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        answer &= one(words, allowed)?;
    }
    Some(answer)
}

fn one<'a>(words: &mut Peekable<impl Iterator<Item = &'a str>>, allowed: &BTreeSet<String>) -> Option<bool> {
    match words.next()? {
        "(" => {
            let answer = either(words, allowed)?;
            words.next_if_eq(&")").map(|_| answer)
        }
        ")" | "OR" | "AND" | "WITH" => None,
        name if words.next_if_eq(&"WITH").is_some() => {
            Some(allowed.contains(&format!("{name} WITH {}", words.next()?)))
        }
        name => Some(allowed.contains(name)),
    }
}

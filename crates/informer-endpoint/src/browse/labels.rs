//! Finding objects by labels: `app=web`, `tier!=front`, `canary`, `!canary`, all of which have to hold.

use kube_informer::object::Labels;

/// What labels have to be.
#[derive(Debug, PartialEq, Eq)]
enum Term {
    Is(String, String),
    IsNot(String, String),
    Exists(String),
    Missing(String),
}

/// Terms that all have to hold.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LabelTerms(Vec<Term>);

impl LabelTerms {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let terms = text.split(',').map(str::trim).filter(|term| !term.is_empty());
        terms.map(term).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn hold(&self, labels: &Labels) -> bool {
        self.0.iter().all(|term| match term {
            Term::Is(key, value) => labels.get(key) == Some(value),
            Term::IsNot(key, value) => labels.get(key) != Some(value),
            Term::Exists(key) => labels.contains(key),
            Term::Missing(key) => !labels.contains(key),
        })
    }
}

fn term(text: &str) -> Result<Term, String> {
    let pair = |(key, value): (&str, &str)| (key.trim().to_owned(), value.trim().to_owned());
    let term = match text.split_once("!=").map(pair) {
        Some((key, value)) => Term::IsNot(key, value),
        None => match text.split_once("==").or_else(|| text.split_once('=')).map(pair) {
            Some((key, value)) => Term::Is(key, value),
            None => match text.strip_prefix('!') {
                Some(key) => Term::Missing(key.trim().to_owned()),
                None => Term::Exists(text.to_owned()),
            },
        },
    };
    let (Term::Is(key, _) | Term::IsNot(key, _) | Term::Exists(key) | Term::Missing(key)) = &term;
    if key.is_empty() || key.contains([' ', '(', ')', '!', '=']) {
        return Err(format!(
            "cannot read {text:?}; labels are found by app=web, app!=web, app or !app, with commas between"
        ));
    }
    Ok(term)
}

#[cfg(test)]
mod tests;

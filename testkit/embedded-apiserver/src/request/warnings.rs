//! The warnings of an answer, as many as kube-apiserver sends.

use std::collections::HashSet;

/// How many characters the warnings of an answer have before they are cut.
const MOST: usize = 4096;
/// How many characters are left of each.
const MOST_OF_ONE: usize = 256;

/// The warnings of an answer, each once.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    seen: HashSet<String>,
    in_order: Vec<String>,
    /// How many characters of them are sent.
    sent: usize,
    /// Whether they are cut, because they are too many.
    is_cut: bool,
}

impl Warnings {
    pub(super) fn add(&mut self, text: &str) {
        let is_full = self.is_cut && self.sent >= MOST;
        if is_full || text.is_empty() || text.chars().any(char::is_control) || self.seen.contains(text) {
            return;
        }
        self.seen.insert(text.to_owned());
        self.in_order.push(text.to_owned());
        let length = text.chars().count();
        if self.is_cut {
            self.sent += length.min(MOST_OF_ONE);
        } else if self.sent + length <= MOST {
            self.sent += length;
        } else {
            self.is_cut = true;
            self.sent = self.in_order.iter().map(|text| text.chars().count().min(MOST_OF_ONE)).sum();
        }
    }

    /// The values of the headers.
    pub(super) fn headers(&self) -> impl Iterator<Item = String> {
        let most = if self.is_cut { MOST_OF_ONE } else { usize::MAX };
        self.in_order.iter().map(move |text| {
            let text: String = text.chars().take(most).collect();
            format!("299 - \"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
        })
    }
}

#[cfg(test)]
mod tests;

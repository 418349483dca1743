//! The pictures of the book are SVG, edited by hand: each is shown on a page, can be read aloud and on dark pages, and asks
//! nobody else for anything.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

const FOLDER: &str = "docs/pictures/";

/// What a picture has in it, and why.
const NEEDED: [(&str, &str); 3] = [
    ("aria-label=\"", "says to nobody who does not see it what it is: add `aria-label`"),
    ("prefers-color-scheme:dark", "has no colours for dark pages"),
    ("viewBox=\"", "cannot be made smaller: add `viewBox`"),
];

/// The one address that a picture has.
const NAMESPACE: &str = "xmlns=\"http://www.w3.org/2000/svg\"";

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.path.starts_with(FOLDER)) {
        let mut problem = |text: &str| problems.push(Problem::new(&file.path, 0, text));
        if !file.path.ends_with(".svg") {
            problem("is not a picture");
            continue;
        }
        let link = format!("pictures/{})", file.name());
        if !tree.files().iter().any(|page| page.is_markdown() && page.text.contains(&link)) {
            problem("is on no page");
        }
        NEEDED.iter().filter(|(needed, _)| !file.text.contains(needed)).for_each(|(_, text)| problem(text));
        if file.text.replacen(NAMESPACE, "", 1).contains("://") || file.text.contains("<script") {
            problem("asks others for something");
        }
        if !is_closed(file) {
            problem("has an element that is not closed, or a text with `<` or `&` in it");
        }
    }
    problems
}

/// Whether every element is closed in its order: browsers show nothing else.
fn is_closed(file: &SourceFile) -> bool {
    let mut open = Vec::new();
    for tag in file.text.split('<').skip(1) {
        let Some((tag, text)) = tag.split_once('>') else { return false };
        let name = tag.split_whitespace().next().unwrap_or_default();
        let is_text =
            text.split('&').skip(1).all(|rest| rest.split(' ').next().is_some_and(|word| word.contains(';')));
        if !is_text {
            return false;
        }
        if let Some(name) = name.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

#[cfg(test)]
mod tests;

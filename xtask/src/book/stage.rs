//! The pages as mdBook gets them: a link that leaves the book becomes one to the repository.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::tidy::links::{relative, resolve};
use crate::tidy::tree::Tree;

/// Where the pages are.
const DOCS: &str = "docs";

/// Where a reader of the book finds the files that are not in it.
const REPOSITORY: &str = "https://github.com/kube-informer/kube-informer/blob/main/";

/// Copies the files of `docs/` into an empty folder, the pages with their links turned.
pub(crate) fn copy(tree: &Tree, root: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    let is_in_book = |path: &str| path.starts_with("docs/") && root.join(path).is_file();
    for path in tree.paths_of_files(root).filter(|path| path.starts_with("docs/")) {
        let inner = Path::new(path).strip_prefix(DOCS)?;
        let target = to.join(inner);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        match tree.file(path).filter(|file| file.is_markdown()) {
            Some(page) => fs::write(&target, turned(path, &page.text, &is_in_book)),
            None => fs::copy(root.join(path), &target).map(drop),
        }
        .with_context(|| format!("cannot write {}", target.display()))?;
    }
    Ok(())
}

/// A page with its links; those to what is not in the book lead to the repository.
fn turned(path: &str, text: &str, is_in_book: &dyn Fn(&str) -> bool) -> String {
    let mut in_code = false;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code { out.push_str(line) } else { turn(path, line, is_in_book, &mut out) }
    }
    out
}

fn turn(path: &str, line: &str, is_in_book: &dyn Fn(&str) -> bool, out: &mut String) {
    let mut parts = line.split("](");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str("](");
        let end = part.find([')', ' ']).unwrap_or(part.len());
        let (target, rest) = part.split_at(end);
        out.push_str(&elsewhere(path, target, is_in_book).unwrap_or_else(|| target.to_owned()));
        out.push_str(rest);
    }
}

/// The address in the repository of what a link leads to, if that is not in the book.
fn elsewhere(path: &str, target: &str, is_in_book: &dyn Fn(&str) -> bool) -> Option<String> {
    let (file, fragment) = relative(target).filter(|(file, _)| !file.is_empty())?;
    let place = resolve(path, file)?;
    if is_in_book(&place) {
        return None;
    }
    let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
    Some(format!("{REPOSITORY}{place}{fragment}"))
}

#[cfg(test)]
mod tests;

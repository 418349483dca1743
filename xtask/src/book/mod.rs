//! The book: the pages of `docs/`, made into HTML by mdBook, and every link of the result followed. It loads nothing from elsewhere.
//!
//! The pages are read on a forge as well, so they stay as they are, where they are: `docs/SUMMARY.md` puts them in order.

mod check;
mod mdbook;
mod stage;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::cargo::{target_directory, workspace_root};
use crate::report::{Outcome, Report};
use crate::tidy::tree::Tree;

/// Builds the book into `target/book/html`, and follows its links.
pub(crate) fn step(report: &mut Report) {
    report.step("book", || {
        let target = target_directory()?.join("book");
        let (source, html) = (target.join("source"), target.join("html"));
        let tree = Tree::read(&workspace_root())?;
        stage::copy(&tree, &workspace_root(), &source)?;
        mdbook::build(&source, &html)?;
        let pages = read_pages(&html)?;
        let mut problems = check::dead_links(&pages, &|path| html.join(path).is_file());
        problems.extend(check::fetches(&pages));
        problems.iter().for_each(|problem| eprintln!("{problem}"));
        ensure!(problems.is_empty(), "{} problems of links in the book", problems.len());
        Ok(Outcome::Passed(format!("{} pages in {}", pages.len(), html.display())))
    });
}

/// The HTML files of the book that have text: path and contents.
fn read_pages(html: &Path) -> Result<Vec<(String, String)>> {
    let mut pages = Vec::new();
    add_pages(html, "", &mut pages)?;
    pages.sort();
    Ok(pages)
}

/// Those of the folder, whose path from the book's begins with `within`.
fn add_pages(folder: &Path, within: &str, pages: &mut Vec<(String, String)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = format!("{within}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            add_pages(&path, &format!("{name}/"), pages)?;
            continue;
        }
        // The contents in a frame for browsers without scripts, whose links are those of every other page.
        if name.ends_with(".html") && name != "toc.html" {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            pages.push((name, text));
        }
    }
    Ok(())
}

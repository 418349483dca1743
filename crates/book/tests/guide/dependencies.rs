//! Who copies the programs of a page has everything that they use, if the page tells what to put into `Cargo.toml`.

use std::collections::BTreeSet;
use std::path::Path;

/// Pages whose programs are for a new project. The guide that begins with `cargo add` is one of them.
const PAGES: [&str; 5] = [
    "README.md",
    "docs/getting-started.md",
    "docs/testing-your-code.md",
    "docs/custom-kinds.md",
    "docs/write-a-controller.md",
];

/// What is always there, and the crates that these pages have people write.
const GIVEN: [&str; 6] = ["std", "core", "crate", "super", "self", "greeter"];

#[test]
fn a_page_names_every_crate_that_its_programs_use() {
    for page in PAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
        let text = std::fs::read_to_string(&path).expect("the page");
        let named = named(&text);
        let used = used(&text);
        assert!(!used.is_empty() && !named.is_empty(), "{page} has programs and dependencies");
        // The second half of the README is about crates of its own.
        let missing: Vec<_> = used.difference(&named).filter(|name| !is_optional(page, name)).collect();
        assert!(missing.is_empty(), "{page} does not name {missing:?}, but {named:?}");
    }
}

/// The README shows a function of `informer-controller`, which it names in the sentence before.
fn is_optional(page: &str, name: &str) -> bool {
    page == "README.md" && name == "informer_controller"
}

/// The blocks of a page in one language, which may be marked in further ways.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let mut blocks = Vec::new();
    for part in page.split("\n```").skip(1) {
        let Some((head, body)) = part.split_once('\n') else { continue };
        if head.split(',').next() == Some(language) {
            blocks.push(body);
        }
    }
    blocks
}

/// The crates in the manifests of a page, and those that it has people add.
fn named(page: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for line in blocks(page, "toml").iter().flat_map(|block| block.lines()) {
        if let Some((name, _)) = line.split_once(" = ") {
            named.insert(name.trim_start_matches("# ").replace('-', "_"));
        }
    }
    for line in page.lines() {
        let Some((_, added)) = line.split_once("cargo add ") else { continue };
        let words = added.split(' ').filter(|word| !word.starts_with("--") && !word.contains("://"));
        named.extend(words.map(|word| word.split('@').next().unwrap_or_default().replace('-', "_")));
    }
    named
}

/// The crates that the programs of a page use, by name or by path.
fn used(page: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for line in blocks(page, "rust").iter().flat_map(|block| block.lines()) {
        let line = line.trim_start_matches("# ").trim_start();
        let path = line.strip_prefix("use ").or_else(|| line.strip_prefix("#[")).unwrap_or(line);
        let Some((name, _)) = path.split_once("::") else { continue };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_name && !GIVEN.contains(&name) {
            used.insert(name.to_owned());
        }
    }
    used
}

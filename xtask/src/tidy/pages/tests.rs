use super::{DOC_TESTS, SUMMARY, check};
use crate::tidy::tree::Tree;

fn told(page: &str) -> Vec<String> {
    let tree = Tree::of(&[
        (SUMMARY, "- [Known](known.md)\n"),
        (DOC_TESTS, "#[doc = include_str!(\"../../../docs/compiled.md\")]\n"),
        ("docs/known.md", page),
    ]);
    check(&tree).iter().map(ToString::to_string).collect()
}

#[test]
fn a_page_that_is_not_in_the_book_is_told() {
    let tree = Tree::of(&[(SUMMARY, ""), ("docs/new.md", "# New\n"), ("other/new.md", "# Not a page\n")]);
    let problems: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["docs/new.md: is not in the book: add it to docs/SUMMARY.md"]);
}

#[test]
fn rust_that_nothing_compiles_is_told() {
    let problems = told("# Page\n\n```rust\nfn main() {}\n```\n");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("docs/known.md:4: Rust that nothing compiles"), "{problems:?}");
    assert_eq!(told("```rust,no_run\nfn main() {}\n```\n").len(), 1);
    let problems = told("```rust,ignore\nof_others();\n```\n");
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("docs/known.md:2: ") && problems[0].contains("no_run"), "{problems:?}");
}

#[test]
fn rust_of_the_readme_of_a_crate_is_compiled_too() {
    let readme = |doc_tests: &str, block: &str| {
        let tree = Tree::of(&[(SUMMARY, ""), (DOC_TESTS, doc_tests), ("crates/x/README.md", block)]);
        check(&tree).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let doc_tests = "#[doc = include_str!(\"../../../crates/x/README.md\")]\n";
    assert!(readme(doc_tests, "```rust\nfn main() {}\n```\n").is_empty());
    for problems in [readme("", "```rust\nf();\n```\n"), readme(doc_tests, "```rust,ignore\nf();\n```\n")] {
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("crates/x/README.md:2: Rust that nothing compiles"), "{problems:?}");
    }
}

#[test]
fn other_code_need_not_be() {
    assert!(told("```go\nfunc main() {}\n```\n").is_empty());
    let tree = Tree::of(&[
        (SUMMARY, "[x](compiled.md)"),
        (DOC_TESTS, "#[doc = include_str!(\"../../../docs/compiled.md\")]\n"),
        ("docs/compiled.md", "```rust\nfn main() {}\n```\n"),
    ]);
    assert!(check(&tree).is_empty());
}

#[test]
fn a_command_that_does_not_exist_is_told() {
    let page = "```sh\nKUBE_INFORMER_ROUNDS=3 cargo xtask e2e name\ncargo xtask tidi   # quick\n```\n";
    assert_eq!(told(page), ["docs/known.md:3: there is no `cargo xtask tidi`"]);
}

use super::check;
use crate::tidy::tree::Tree;

const CARGO_TOML: &str = r#"
[workspace.package]
rust-version = "1.89"
repository = "https://example.com/ours"

[workspace.dependencies]
k8s-openapi = { version = "0.29", default-features = false }
serde_json = "1"
"#;

fn told(page: &str) -> Vec<String> {
    let tree = Tree::of(&[("Cargo.toml", CARGO_TOML), ("docs/page.md", page)]);
    check(&tree).iter().map(ToString::to_string).collect()
}

#[test]
fn versions_of_the_workspace_are_right() {
    let page = r#"You need Rust 1.89 or newer (Go 1.26 or newer for tests).

```toml
[dependencies]
ours = { git = "https://example.com/ours", features = ["testing"] }
k8s-openapi = { version = "0.29", features = ["latest"] } # a comment

[dev-dependencies]
serde_json = "1"
```

```sh
cargo add --git https://example.com/ours ours
cargo add k8s-openapi@0.29 --features latest
```

```toml
[[source]]
file = "src/kinds.rs"
```
"#;
    assert_eq!(told(page), [] as [&str; 0]);
}

#[test]
fn another_version_is_told() {
    assert_eq!(
        told("```toml\n[dependencies]\nk8s-openapi = { version = \"0.28\" }\nother = \"1\"\n```\n"),
        [
            "docs/page.md:2: `k8s-openapi` in version 0.28, but Cargo.toml has 0.29",
            "docs/page.md:2: `other` in version 1, but Cargo.toml does not have it",
        ]
    );
    assert_eq!(
        told("x\ncargo add serde_json@2\n"),
        ["docs/page.md:2: `serde_json` in version 2, but Cargo.toml has 1"]
    );
    assert_eq!(
        told("You need Rust 1.85 or newer.\n"),
        ["docs/page.md:1: Rust 1.89 is needed, not 1.85: see Cargo.toml"]
    );
}

#[test]
fn what_is_no_toml_and_what_is_from_elsewhere_is_told() {
    assert_eq!(told("```toml\n[dependencies\n```\n").len(), 1);
    let elsewhere = told("```toml\n[dependencies]\nours = { git = \"https://example.com/theirs\" }\n```\n");
    assert_eq!(elsewhere, ["docs/page.md:2: `ours` has no version, and is not from our repository"]);
}

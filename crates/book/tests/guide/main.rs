//! The guide `docs/write-a-controller.md`: what it tells people to write compiles, and its test passes. And the Go and the
//! YAML of the book.

mod dependencies;
mod go;
mod greets;
mod log;
mod support;
mod yaml;

// What the files of the guide call the crate that they are in.
extern crate self as greeter;
pub use support::lib_rs::{GREETING, controller};

#[test]
fn the_guide_has_these_files() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/write-a-controller.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    for file in [
        include_str!("support/lib_rs.rs"),
        include_str!("support/main_rs.rs"),
        include_str!("support/elected_rs.rs"),
        include_str!("greets.rs"),
    ] {
        assert!(guide.contains(&format!("```rust\n{file}```")), "the guide does not have\n{file}");
    }
}

//! rustfmt does not change generated code.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use informer_gen::{Model, Style, custom_kinds, read};

const DEFAULT: &str = "use_small_heuristics=Default";

#[test]
fn rustfmt_leaves_the_text_as_it_is() {
    if !rustfmt_is_there("rustfmt_leaves_the_text_as_it_is") {
        return;
    }
    let usual = generated("kinds.toml");
    for max_width in [80, 100, 120] {
        check(&usual, Style::of_width(max_width), DEFAULT);
    }
    check(&usual, Style { max_width: 110, call_width: 110 }, "use_small_heuristics=Max");
}

#[test]
fn lines_that_are_too_long_are_broken_as_rustfmt_does() {
    if !rustfmt_is_there("lines_that_are_too_long_are_broken_as_rustfmt_does") {
        return;
    }
    let long = generated("long-names.toml");
    for max_width in [100, 120] {
        check(&long, Style::of_width(max_width), DEFAULT);
    }
    check(&long, Style { max_width: 110, call_width: 110 }, "use_small_heuristics=Max");
}

/// It is a part of the toolchain that can be left out. Then rustup has a program of that name, which fails.
fn rustfmt_is_there(test: &str) -> bool {
    let is_there = Command::new("rustfmt").arg("--version").output().is_ok_and(|said| said.status.success());
    if !is_there {
        test_cluster::print_skip(test, "rustfmt is not there: `rustup component add rustfmt`");
    }
    is_there
}

fn generated(file: &str) -> Model {
    let path: PathBuf = ["tests", "fixtures", "description", file].iter().collect();
    Model::of_custom_kinds(read(&[path], None).unwrap()).unwrap()
}

fn check(model: &Model, style: Style, settings: &str) {
    let text = custom_kinds(model, &[], style);
    let formatted = rustfmt(&text, &format!("max_width={},{settings}", style.max_width));
    assert_eq!(informer_gen::difference(&text, &formatted), None, "{style:?}");
}

fn rustfmt(text: &str, settings: &str) -> String {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", settings])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

use super::*;
use crate::tidy::tree::SourceFile;

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

fn names(text: &str, depth: usize) -> Vec<String> {
    let file = SourceFile::new("a.rs", text.to_owned());
    root_names(file.code_before_tests(), depth).into_iter().map(|(_, name)| name).collect()
}

#[test]
fn paths_and_groups_are_found_with_their_lines() {
    let text = "use crate::a::X;\nuse crate::{b::{c, d}, e};\nfn f() -> crate::g::Y {}\n";
    let found: Vec<(usize, String)> = root_names(numbered(text), 1);
    let expected = [(1, "a"), (2, "b"), (2, "e"), (3, "g")];
    assert_eq!(found, expected.map(|(line, name)| (line, name.to_owned())));
}

#[test]
fn comments_and_other_crates_are_not() {
    assert!(
        names("//! See [`crate::a`].\nuse x::y; // crate::b\nlet s = \"crate::d\";\nuse my_crate::c;\n", 1)
            .is_empty()
    );
}

#[test]
fn super_reaches_the_root_from_the_right_depth_only() {
    let text = "use super::a;\nuse super::super::b;\n";
    assert_eq!(names(text, 1), ["a"]);
    assert_eq!(names(text, 2), ["b"]);
    assert!(names(text, 0).is_empty());
}

#[test]
fn re_exports_know_where_they_come_from() {
    let text = "mod a;\npub use a::b::{C, D as E};\npub use crate::f::{\n    G, h::I,\n};\nuse other::J;\n";
    let exports = imports(numbered(text));
    let mut exports: Vec<(&str, &str)> = exports.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    exports.sort_unstable();
    assert_eq!(exports, [("C", "a"), ("E", "a"), ("G", "f"), ("I", "f"), ("J", "other")]);
}

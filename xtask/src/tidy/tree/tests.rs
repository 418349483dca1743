use super::*;

#[test]
fn tests_are_known_by_their_place_or_name() {
    let is_test = |path: &str| SourceFile::new(path, String::new()).is_test();
    assert!(is_test("crates/a/tests/e2e/main.rs"));
    assert!(is_test("crates/a/src/store/tests.rs"));
    assert!(is_test("crates/a/src/store/mailbox/tests.rs"));
    assert!(is_test("crates/a/src/store/tests/model.rs"));
    assert!(!is_test("crates/a/src/store/mod.rs"));
    assert!(!is_test("crates/a/src/contests.rs"));
}

#[test]
fn a_test_module_ends_the_code() {
    let text = "a\n#[cfg(test)]\nfn helper() {}\n#[cfg(test)]\nmod tests {\nb\n}\n".to_owned();
    let file = SourceFile::new("x.rs", text);
    assert_eq!(file.lines_before_tests().last(), Some((3, "fn helper() {}")));
}

#[test]
fn directories_are_contained() {
    let tree = Tree::of(&[("docs/a/b.md", "")]);
    assert!(tree.contains("docs/a/b.md") && tree.contains("docs/a") && tree.contains("docs"));
    assert!(!tree.contains("docs/b.md"));
}

#[test]
fn the_project_itself_can_be_read() {
    let tree = Tree::read(&crate::cargo::workspace_root()).unwrap();
    assert!(tree.file("xtask/src/tidy/tree.rs").is_some());
}

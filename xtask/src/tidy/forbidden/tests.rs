use super::*;

fn found(path: &str, text: &str) -> usize {
    check(&Tree::of(&[(path, text)])).len()
}

#[test]
fn machine_paths_are_found_where_a_path_starts() {
    assert_eq!(found("run.sh", "cd /home/me/project\n"), 1);
    assert_eq!(found("a.md", "plotted /root/project/a.png\n"), 1);
    assert_eq!(found("a.rs", "open(\"/tmp/x\")\n"), 1);
    assert_eq!(found("a.md", "see https://example.com/home/1 and docs/home/x\n"), 0);
    assert_eq!(found("a.md", "write it to /tmp/config\n"), 0);
    assert_eq!(found("tests/a.rs", "open(\"/tmp/x\")\n"), 0);
}

#[test]
fn unfinished_code_is_found_with_its_line() {
    let problems = check(&Tree::of(&[("a.rs", "fn a() {\n    todo!()\n}\n")]));
    assert_eq!((problems.len(), problems[0].line), (1, 2));
    assert_eq!(found("a.md", "we never write `todo!()`\n"), 0);
}

#[test]
fn tests_neither_sleep_nor_hide() {
    assert_eq!(found("crates/a/tests/a.rs", "tokio::time::sleep(second).await;\n"), 1);
    assert_eq!(found("crates/a/src/b/tests/a.rs", "thread::sleep(second);\n"), 1);
    assert_eq!(found("crates/a/src/b/tests/a.rs", "tokio::time::sleep(second).await;\n"), 0);
    assert_eq!(found("crates/a/src/a.rs", "tokio::time::sleep(second).await;\n"), 0);
    assert_eq!(found("crates/a/tests/a.rs", "#[ignore = \"slow\"]\n"), 1);
    assert_eq!(found("crates/a/tests/a.rs", "#[ignore = \"needs Go: `cargo xtask e2e` runs it\"]\n"), 0);
}

#[test]
fn a_test_module_at_the_end_may_name_paths() {
    assert_eq!(found("a.rs", "#[cfg(test)]\nmod tests {\n    const X: &str = \"/tmp/x\";\n}\n"), 0);
    assert_eq!(found("a.rs", "#[cfg(test)]\nmod tests {\n    #[ignore]\n}\n"), 1);
}

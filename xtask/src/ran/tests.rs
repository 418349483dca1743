use serde_json::json;

use super::*;

const REAL: &str = "     Running tests/real/main.rs (target/debug/deps/real-0123456789abcdef)";
const LIBRARY: &str = "     Running unittests src/lib.rs (/elsewhere/debug/deps/some_crate-00ff)";

fn read(lines: &[&str]) -> (Ran, usize) {
    let mut reader = Reader::default();
    lines.iter().for_each(|line| reader.line(line));
    reader.end()
}

fn workspace() -> BTreeSet<Target> {
    let metadata = json!({ "packages": [{
        "manifest_path": "/w/crates/some/Cargo.toml",
        "targets": [
            { "name": "some_crate", "kind": ["lib"], "src_path": "/w/crates/some/src/lib.rs", "test": true },
            { "name": "real", "kind": ["test"], "src_path": "/w/crates/some/tests/real/main.rs", "test": false },
            { "name": "demo", "kind": ["example"], "src_path": "/w/crates/some/examples/demo.rs", "test": false },
        ],
    }]});
    targets(&metadata).unwrap()
}

fn verdict(ran: &Ran, without_servers: Option<&str>) -> String {
    match ran.check_against(&workspace(), without_servers) {
        Ok(Outcome::Passed(said)) => format!("passed: {said}"),
        Ok(Outcome::Skipped(said)) => format!("skipped: {said}"),
        Err(error) => format!("failed: {error}"),
    }
}

#[test]
fn what_was_skipped_once_has_to_run_another_time() {
    let (mut ran, skipped) =
        read(&[LIBRARY, "warning: something", REAL, "skipped one: no Go", "skipped two: no Go"]);
    assert_eq!(skipped, 2);
    assert_eq!(
        verdict(&ran, None),
        "failed: these tests were skipped every time: one of real (tests/real/main.rs), two of real (tests/real/main.rs)"
    );
    assert_eq!(verdict(&ran, Some("no Go")), "skipped: 2 tests have not run: no Go");
    ran.add(read(&[REAL, "skipped two: not on this server"]).0);
    assert_eq!(
        verdict(&ran, None),
        "failed: these tests were skipped every time: two of real (tests/real/main.rs)"
    );
    ran.add(read(&[REAL]).0);
    assert_eq!(verdict(&ran, None), "passed: all 2 test targets");
}

#[test]
fn a_call_for_some_tests_says_nothing_about_the_others() {
    let (mut ran, _) =
        read(&[REAL, LIBRARY, "skipped one: no Go", "skipped two: no Go", "skipped three: no Go"]);
    ran.add_only(read(&[LIBRARY, "skipped one: not on this server"]).0, &["one", "two"]);
    assert_eq!(
        verdict(&ran, None),
        "failed: these tests were skipped every time: one of some_crate (src/lib.rs), three of some_crate (src/lib.rs)"
    );
}

#[test]
fn tests_on_a_terminal_need_tmux_and_are_named_without() {
    let lines = [REAL, LIBRARY, "skipped drawn: tmux is not on the PATH"];
    assert_eq!(
        verdict(&read(&lines).0, None),
        "skipped: tmux is not on the PATH: drawn of some_crate (src/lib.rs)"
    );
    let (ran, _) = read(&[&lines[..], &["skipped other: no Go"]].concat());
    let wanted = "failed: these tests were skipped every time: other of some_crate (src/lib.rs)";
    assert_eq!(verdict(&ran, None), wanted, "no excuse for others");
}

#[test]
fn a_target_that_never_ran_is_a_failure_with_and_without_servers() {
    let (ran, _) = read(&[LIBRARY]);
    for without_servers in [None, Some("no Go")] {
        assert_eq!(
            verdict(&ran, without_servers),
            "failed: these test targets have not run: real (tests/real/main.rs)"
        );
    }
}

use serde_json::json;

use super::*;

const REAL: &str = "     Running tests/real/main.rs (target/debug/deps/real-0123456789abcdef)";
const LIBRARY: &str = "     Running unittests src/lib.rs (/elsewhere/debug/deps/some_crate-00ff)";

const END: &str =
    "back after 1.2 stest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";

/// Every program comes to its end.
fn read(lines: &[&str]) -> (Ran, usize) {
    let mut reader = Reader::default();
    for line in lines {
        if running(line).is_some() {
            reader.line(END);
        }
        reader.line(line);
    }
    reader.line(END);
    reader.end()
}

fn workspace() -> Targets {
    let metadata = json!({ "packages": [{
        "manifest_path": "/w/crates/some/Cargo.toml",
        "targets": [
            { "name": "some_crate", "kind": ["lib"], "src_path": "/w/crates/some/src/lib.rs", "test": true },
            { "name": "real", "kind": ["test"], "src_path": "/w/crates/some/tests/real/main.rs", "test": true,
                "required-features": ["test-cluster/servers"] },
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
    let without = "skipped: 1 suites on real servers and 2 other tests have not run: no Go";
    assert_eq!(verdict(&ran, Some("no Go")), without);
    ran.add(read(&[REAL, "skipped two: not on this server", "test one ... ok", "test some::two ... ok"]).0);
    assert_eq!(
        verdict(&ran, None),
        "failed: these tests were skipped every time: two of real (tests/real/main.rs)"
    );
    ran.add(read(&[REAL, "test three ... ok"]).0);
    assert!(verdict(&ran, None).ends_with("two of real (tests/real/main.rs)"), "it says nothing about two");
    ran.add(read(&[REAL, "test some::two_in_full ... ok"]).0);
    assert_eq!(verdict(&ran, None), "passed: all 2 test targets");
    ran.add(read(&[REAL, "skipped two: not on this server", "test some::two_in_full ... ok"]).0);
    assert_eq!(verdict(&ran, None), "passed: all 2 test targets");
    ran.add(read(&[REAL, "skipped four: not on this server", "test four ... ok"]).0);
    assert!(verdict(&ran, None).ends_with(": four of real (tests/real/main.rs)"));
}

#[test]
fn a_program_that_does_not_come_to_its_end_has_not_run() {
    let mut reader = Reader::default();
    [LIBRARY, END, REAL, "test one ... ok"].iter().for_each(|line| reader.line(line));
    let (mut ran, _) = reader.end();
    let missing = "failed: these test targets have not run: real (tests/real/main.rs)";
    assert_eq!(verdict(&ran, None), missing);
    ran.add_ignored(read(&[REAL, "test two ... ok"]).0);
    assert_eq!(verdict(&ran, None), missing, "that was another part of it");
    ran.add(read(&[REAL]).0);
    assert_eq!(verdict(&ran, None), "passed: all 2 test targets");
}

#[test]
fn a_suite_on_real_servers_cannot_be_forgotten() {
    let suites = || suites(workspace());
    let error = read(&[LIBRARY]).0.check_against(&suites(), None).err().unwrap();
    assert_eq!(error.to_string(), "these test targets have not run: real (tests/real/main.rs)");
    assert!(read(&[REAL]).0.check_against(&suites(), None).is_ok());
}

#[test]
fn ignored_tests_have_to_run_in_a_call_of_their_own_which_says_nothing_about_others() {
    let first = [
        REAL,
        LIBRARY,
        "test a::reads ... ok <0.001s>",
        "test b::asks ... ignored, needs kubectl",
        "test c::waits ... ignored",
        "skipped drawn: no Go",
    ];
    let (mut ran, _) = read(&first);
    ran.add_ignored(read(&[LIBRARY, "test b::asks ... ok", "test c::waits ... FAILED"]).0);
    assert_eq!(
        verdict(&ran, None),
        "failed: these tests were skipped every time: c::waits of some_crate (src/lib.rs), drawn of some_crate (src/lib.rs)"
    );
    let says_more = [LIBRARY, "skipped asks: no kubectl", "test b::asks ... ok"];
    let mut asked = read(&first).0;
    asked.add_ignored(read(&says_more).0);
    assert!(verdict(&asked, None).contains(": asks of some_crate"), "{}", verdict(&asked, None));
    // Those of documentation are of no program.
    ran.add_ignored(read(&[LIBRARY, "   Doc-tests some_crate", "test c::waits ... ok"]).0);
    assert!(verdict(&ran, None).contains("c::waits"));
    ran.add_ignored(read(&[LIBRARY, "test c::waits ... ok", "test drawn ... ok"]).0);
    assert_eq!(verdict(&ran, None), "passed: all 2 test targets");
}

#[test]
fn targets_of_the_same_name_and_source_are_told_apart() {
    let target = json!({ "name": "e2e", "kind": ["test"], "src_path": "/w/tests/e2e/main.rs", "test": true });
    let package = json!({ "manifest_path": "/w/Cargo.toml", "targets": [target] });
    let both = targets(&json!({ "packages": [package, package] })).unwrap();
    let one = "     Running tests/e2e/main.rs (target/debug/deps/e2e-01)";
    let other = "     Running tests/e2e/main.rs (target/debug/deps/e2e-02)";
    assert!(read(&[one, one]).0.check_against(&both, None).is_err());
    assert!(read(&[one, other]).0.check_against(&both, None).is_ok());
}

#[test]
fn slow_tests_are_told_the_slowest_first_and_names_without_tests_are_found() {
    let lines = [
        LIBRARY,
        "test quick ... ok <9.999s>",
        "test slow ... ok <10.500s>",
        "back after 1.2 stest slower ... FAILED <61.250s>",
    ];
    let (ran, _) = read(&lines);
    assert_eq!(
        ran.slow_ones(),
        "tests of more than 10 s:\n   61.2 s  slower of some_crate (src/lib.rs)\n   10.5 s  slow of some_crate (src/lib.rs)"
    );
    assert_eq!(Ran::default().slow_ones(), "");
    assert_eq!(ran.unmatched(&["slow", "quick"]), None);
    assert_eq!(ran.unmatched(&["quick", "slower"]), Some("slower"), "it has not passed");
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
fn a_target_that_never_ran_is_a_failure_but_for_suites_on_servers_that_cannot_be_had() {
    let missing = |target: &str| format!("failed: these test targets have not run: {target}");
    assert_eq!(verdict(&read(&[LIBRARY]).0, None), missing("real (tests/real/main.rs)"));
    let without = "skipped: 1 suites on real servers and 0 other tests have not run: no Go";
    assert_eq!(verdict(&read(&[LIBRARY]).0, Some("no Go")), without);
    assert_eq!(verdict(&read(&[REAL]).0, Some("no Go")), missing("some_crate (src/lib.rs)"));
}

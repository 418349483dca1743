use std::time::Duration;

use super::*;

#[test]
fn the_summaries_of_all_harnesses_are_added_up() {
    let mut count = TestCount::default();
    count.add("running 3 tests");
    count.add("back after 1.2 stest result: ok. 0 passed; 0 failed");
    count.add(
        "test result: ok. 19 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 1.39s",
    );
    count.add("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
    assert_eq!(count, TestCount { passed: 20, failed: 2, ignored: 1, skipped: 0 });
    assert_eq!(count.to_string(), "20 tests passed, 2 failed, 1 ignored");
    count.skip(4);
    assert_eq!(count.to_string(), "16 tests passed, 2 failed, 1 ignored, 4 skipped");
}

#[test]
fn a_step_that_hangs_fails_with_the_tests_that_hang_and_keeps_what_ran() {
    let mut command = Command::new("sh");
    let script = "echo '     Running tests/real/main.rs (target/debug/deps/real-01)'
        echo 'test quick has been running for over 60 seconds'; echo 'test quick ... ok <70.000s>'
        echo 'test hung has been running for over 60 seconds'; sleep 600";
    command.args(["-c", script]);
    let limits = Limits { silence: Duration::from_millis(200), until: None };
    let shown = "cargo test".to_owned();
    let mut ran = Ran::default();
    let error = Cargo { command, arguments: Vec::new(), shown, limits }.run_tests(&mut ran).unwrap_err();
    let wanted = "`cargo test` was ended: it had said nothing for 200ms; 0 tests passed\n\
                  test hung has been running for over 60 seconds";
    assert_eq!(error.to_string(), wanted);
    assert!(ran.slow_ones().contains("quick of real"), "{}", ran.slow_ones());
}

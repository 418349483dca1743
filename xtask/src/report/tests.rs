use anyhow::anyhow;

use super::*;

#[test]
fn a_failure_is_in_the_table_and_the_error_and_stops_nothing() {
    let mut after = false;
    let error = run(|report| {
        assert!(report.step("one", || Ok(Outcome::passed())));
        assert!(!report.step("two", || Err(anyhow!("broken\nat length"))));
        after = report.step("three", || Ok(Outcome::Skipped("no time".to_owned())));
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "failed: two");
    assert!(after);
}

#[test]
fn the_table_says_what_was_skipped_and_why() {
    let mut report = Report::default();
    report.step("e2e", || Ok(Outcome::Skipped("no Go".to_owned())));
    let table = report.table(Duration::from_secs(61));
    assert!(table.starts_with("e2e       SKIPPED      0.0 s  no Go\n"), "{table}");
    assert!(table.ends_with("in total              61.0 s"), "{table}");
}

#[test]
fn what_failed_is_told_at_length_after_the_table() {
    let mut report = Report::default();
    report.step("one", || Ok(Outcome::passed()));
    report.step("two", || Err(anyhow!("broken\nat length")));
    assert_eq!(report.failures(), "\n== two failed:\nbroken\nat length\n");
}

#[test]
fn what_takes_longer_than_allowed_is_a_failure() {
    let error = run_within(Duration::ZERO, |report| {
        report.step("one", || Ok(Outcome::passed()));
    });
    assert_eq!(error.unwrap_err().to_string(), "it took 1 minutes, and 0 are allowed");
}

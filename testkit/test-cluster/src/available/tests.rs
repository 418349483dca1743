use super::{decide, skip_line, skipped_test};

#[test]
fn a_skip_is_read_as_it_is_written() {
    let line = skip_line("kubectl_applies", "no Go: none at all");
    assert_eq!(skipped_test(&line), Some(("kubectl_applies", "no Go: none at all")));
    let one_at_a_time = format!("test some::kubectl_applies ... {line}");
    assert_eq!(skipped_test(&one_at_a_time), Some(("kubectl_applies", "no Go: none at all")));
    assert_eq!(skipped_test("test kubectl_applies ... ok"), None);
}

#[test]
fn unset_runs_only_where_the_servers_can_be_had() {
    assert_eq!(decide("", || true), Ok(()));
    assert!(decide("", || false).unwrap_err().contains("Go is not on the PATH"));
}

#[test]
fn required_never_skips_and_skip_always_does() {
    assert_eq!(decide("required", || false), Ok(()));
    assert!(decide("skip", || true).is_err());
}

#[test]
#[should_panic(expected = "is not known")]
fn a_misspelt_setting_is_not_a_skip() {
    let _ = decide("require", || true);
}

use super::*;

#[test]
fn b_068_p_080_versions_compare_as_decimals_of_any_length() {
    let version = ResourceVersion::new;
    let long = "123456789012345678901234567890";
    assert_eq!(version("9").compare(&version("10")), Some(Ordering::Less));
    assert_eq!(version(long).compare(&version("18446744073709551615")), Some(Ordering::Greater));
    assert_eq!(version(long).compare(&version(long)), Some(Ordering::Equal));
    for odd in ["", "0", "007", "abc", "1a", "-1"] {
        assert_eq!(version(odd).compare(&version("5")), None, "{odd:?}");
        assert_eq!(version(odd).to_string(), odd);
    }
    assert!(!version("x").is_older_than(&version("5")));
}

#[test]
fn b_225_metric_is_the_last_15_digits() {
    assert_eq!(metric(&ResourceVersion::new("42")), Some(42));
    assert_eq!(metric(&ResourceVersion::new("9123456789012345678")), Some(456_789_012_345_678));
    assert_eq!(metric(&ResourceVersion::new("99123456789012345678901234567890")), Some(678_901_234_567_890));
    assert_eq!(metric(&ResourceVersion::new("abc")), None);
}

#[test]
fn uids_print_as_they_came() {
    for text in [
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
        "",
        "made-up",
        "3f25",
    ] {
        assert_eq!(Uid::new(text).to_string(), text);
    }
    assert!(Uid::new("").is_empty());
    assert_ne!(Uid::new("a"), Uid::new("b"));
}

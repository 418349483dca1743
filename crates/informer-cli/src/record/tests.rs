use super::*;

#[test]
fn sizes_are_short() {
    assert_eq!(
        [1, 9_999, 10_000, 9_999_999, 25_000_000].map(bytes),
        ["1 bytes", "9999 bytes", "10 KB", "9999 KB", "25 MB"]
    );
}

use super::*;

#[test]
fn kinds_are_named_by_plural_and_group() {
    assert_eq!(kind("vaults.secrets.example.com").resource(), "vaults.secrets.example.com");
    assert_eq!((kind("tokens").group(), kind("tokens").plural()), ("", "tokens"));
}

#[test]
fn sizes_are_short() {
    assert_eq!(
        [1, 9_999, 10_000, 9_999_999, 25_000_000].map(bytes),
        ["1 bytes", "9999 bytes", "10 KB", "9999 KB", "25 MB"]
    );
}

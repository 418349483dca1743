use super::*;

#[test]
fn warnings_are_cut_when_they_are_too_long_together() {
    let mut warnings = Warnings::default();
    warnings.add(&"a".repeat(300));
    warnings.add(&"a".repeat(300));
    warnings.add("two\nlines");
    assert_eq!(warnings.headers().map(|header| header.len()).collect::<Vec<_>>(), [300 + 8]);
    for index in 0..100_000 {
        warnings.add(&format!("{index:0300}"));
    }
    let lengths: Vec<_> = warnings.headers().map(|header| header.len()).collect();
    assert_eq!(lengths, [256 + 8; 16]);
}

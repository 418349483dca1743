use super::last_lines;

#[test]
fn only_the_end_is_kept() {
    assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
    assert_eq!(last_lines("a\n", 2), "a");
    assert_eq!(last_lines("", 2), "");
}

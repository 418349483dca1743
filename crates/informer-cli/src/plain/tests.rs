use super::*;

#[test]
fn what_a_terminal_obeys_is_escaped() {
    assert_eq!(plain("\x1b[2Jgone\r\nb\tc\u{9b}1m"), "\\u{1b}[2Jgone\\r\\nb\\tc\\u{9b}1m");
    assert_eq!(plain("a\u{202e}b\u{2028}"), "a\\u{202e}b\\u{2028}");
    assert_eq!(plain_lines("a\nb\x07"), "a\nb\\u{7}");
}

#[test]
fn all_else_stays_as_it_is() {
    let text = "a → b, \"ü\" ☃ \\n {}";
    assert!(matches!(plain(text), Cow::Borrowed(same) if same == text));
}

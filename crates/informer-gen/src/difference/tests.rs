use super::difference;

#[test]
fn only_what_differs_is_shown() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    assert_eq!(difference("a\nb\nc\n", "a\nx\nc\n").unwrap(), "at line 2:\n- b\n+ x");
    assert_eq!(difference("a\nc\n", "a\nb\nc\n").unwrap(), "at line 2:\n+ b");
    assert_eq!(difference("a\na\n", "a\n").unwrap(), "at line 2:\n- a");
    assert_eq!(difference("", "a\n").unwrap(), "at line 1:\n+ a");
    assert_eq!(difference("a", "a\n").unwrap(), "at line 2:\n+");
}

#[test]
fn long_differences_are_cut() {
    let long: String = (0..40).map(|number| format!("{number}\n")).collect();
    let shown = difference("", &long).unwrap();
    assert_eq!(shown.lines().count(), 14);
    assert!(shown.ends_with("+ … and 28 more lines"), "{shown}");
}

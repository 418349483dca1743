use super::*;

#[test]
fn a_cell_has_its_width_whatever_is_in_it() {
    for text in
        ["", "pods", "a-very-long-name.example.com", "日本語日本語", "e\u{301}e\u{301}e\u{301}", "🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈"]
    {
        for columns in 0..12 {
            assert_eq!(width(&left(text, columns)), columns, "{text:?}");
            assert_eq!(width(&right(text, columns)), columns, "{text:?}");
            assert!(width(&cut(text, columns)) <= columns, "{text:?}");
        }
    }
    assert_eq!(
        (left("pods", 6), right("pods", 6), cut("pods", 3)),
        ("pods  ".into(), "  pods".into(), "po…".into())
    );
}

#[test]
fn lines_break_between_words_and_within_long_ones() {
    assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
    assert_eq!(wrapped("a abcdefghij b", 4), ["a", "abcd", "efgh", "ij b"]);
    assert_eq!(wrapped("日本語", 3), ["日", "本", "語"]);
    assert_eq!(wrapped("", 10), [""]);
    // It takes three columns, alone.
    assert_eq!(wrapped("\u{17d8}\u{17d8} b", 2), ["\u{17d8}", "\u{17d8}", "b"]);
    assert_eq!(wrapped("日本 b", 0), ["日", "本", "b"]);
}

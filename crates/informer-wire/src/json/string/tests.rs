use super::*;

#[test]
fn strings_are_borrowed_unless_they_have_escapes() {
    assert!(matches!(decode_string(br#""a b""#), Some(Cow::Borrowed("a b"))));
    assert!(matches!(decode_string(br#""a\nb""#), Some(Cow::Owned(text)) if text == "a\nb"));
    for other in [&b"null"[..], b"", b"\"", br#""a"#, br#""\ud800""#, b"\"\xff\""] {
        assert_eq!(decode_string(other), None);
    }
}

#[test]
fn keys_are_compared_after_their_escapes() {
    assert!(string_is(br#""name""#, "name") && string_is(br#""n\u0061me""#, "name"));
    assert!(string_is(br#""say \"hi\"""#, "say \"hi\"") && string_is(br#""""#, ""));
    for other in [&br#""nam""#[..], br#""name\\""#, b"name", b"", b"\""] {
        assert!(!string_is(other, "name"));
    }
    assert!(!string_is(br#""\u0061""#, r"\u0061"));
}

use super::Pattern;

#[test]
fn patterns_are_those_of_go() {
    let cases = [
        (r"^\d+$", "12", true),
        (r"^\d+$", "٣", false),
        (r"^[\w-]+$", "a-b_c", true),
        (r"^[[]$", "[", true),
        (r"^[]a]+$", "]a", true),
        (r"^[[:alpha:]_]+$", "a_", true),
        (r"^[a&&b]+$", "&a", true),
        (r"^\S+@\S+$", "a@b", true),
        (r"b", "abc", true),
    ];
    for (pattern, text, matches) in cases {
        let pattern = Pattern::new(pattern.to_owned());
        assert_eq!(pattern.compiled.unwrap().is_match(text), matches, "{} {text}", pattern.text);
    }
    assert!(Pattern::new("(?=a)".to_owned()).compiled.is_err());
}

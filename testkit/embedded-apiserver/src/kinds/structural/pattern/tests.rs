use super::{Pattern, Unusable};

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
        // Braces that repeat nothing are characters.
        (r"^{a}$", "{a}", true),
        (r"^a{,2}$", "a{,2}", true),
        (r"^a{,2}$", "aa", false),
        (r"^a{01}$", "a{01}", true),
        (r"^a{2,}$", "aaa", true),
        (r"^\b{start}a", "{start}a", false),
        // A backslash makes a character of what is no letter.
        (r"^\<a\>$", "<a>", true),
        (r"^\_\-\/$", "_-/", true),
        (r"^\Qa.b*\E+$", "a.b**", true),
        (r"^\Qa.b", "axb", false),
        (r"^\101\x41\x{1F600}\0$", "AA😀\0", true),
        // Classes know no set operators, and dashes go anywhere.
        (r"^[a--]+$", "a", false),
        (r"^[+--]+$", "+,-", true),
        (r"^[a--b]+$", "x", false),
        (r"^[\d-z]+$", "1-z", true),
        (r"^[a-z&&[^b]]+$", "b]", true),
        (r"^[~~&&]+$", "~&", true),
        (r"^[[:^digit:]]$", "a", true),
        (r"^\p{^Greek}\PL\p{Letter}$", "a1b", true),
        // Boundaries of words are those of ASCII.
        (r"é\b", "é", false),
        (r"é\B", "é", true),
        // Flags.
        (r"^(?ii)A$", "a", true),
        (r"^(?i-i)A$", "a", false),
        (r"^(?)a(?:b)(?P<1>c)(?<n>d)(?<n>e)$", "abcde", true),
        (r"(?m)^b$", "a\nb", true),
        (r"^*a$", "a", true),
    ];
    for (pattern, text, matches) in cases {
        let compiled = Pattern::new(pattern.to_owned()).compiled;
        match &compiled {
            Ok(compiled) => assert_eq!(compiled.is_match(text), matches, "{pattern} {text}"),
            // A range in the wrong order.
            Err(why) => assert!(!matches && pattern.contains("a--"), "{pattern}: {why:?}"),
        }
    }
}

/// The messages are those of Go 1.26.
#[test]
fn what_go_refuses_is_refused_in_its_words() {
    let cases = [
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"),
        ("(", "missing closing ): `(`"),
        ("a)", "unexpected ): `a)`"),
        ("[a", "missing closing ]: `[a`"),
        ("[a--]", "invalid character class range: `a--`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a+?{2}", "invalid nested repetition operator: `+?{2}`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("(|?b)", "missing argument to repetition operator: `?`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{3,2}", "invalid repeat count: `{3,2}`"),
        ("((a{100}){11})", "invalid repeat count: `{11}`"),
        (r"\1", r"invalid escape sequence: `\1`"),
        (r"\u0041", r"invalid escape sequence: `\u`"),
        (r"[\b]", r"invalid escape sequence: `\b`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
        (r"\E", r"invalid escape sequence: `\E`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"a\", "trailing backslash at end of expression: ``"),
        (r"\p{Alphabetic}", r"invalid character class range: `\p{Alphabetic}`"),
        ("[[:letter:]]", "invalid character class range: `[:letter:]`"),
    ];
    for (pattern, why) in cases {
        let compiled = Pattern::new(pattern.to_owned()).compiled;
        assert_eq!(compiled.err(), Some(Unusable::InGo(format!("error parsing regexp: {why}"))), "{pattern}");
    }
}

#[test]
fn what_go_compiles_and_this_server_does_not_is_no_mistake_of_its_author() {
    for pattern in [r"^\p{L}{1,1000}$", r"^(\pL{100}){10}$"] {
        let compiled = Pattern::new(pattern.to_owned()).compiled;
        assert!(matches!(&compiled, Err(Unusable::Here(why)) if why.contains("large")), "{compiled:?}");
    }
}

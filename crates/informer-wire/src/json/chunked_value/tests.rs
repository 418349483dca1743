use super::*;

/// The end of the value at the start of a text, found whole and byte by byte.
fn end(text: &str) -> Result<Option<usize>, Malformed> {
    let bytes = text.as_bytes();
    let whole = ChunkedValue::begin(bytes[0])?.find_end(bytes, 1);
    let mut value = ChunkedValue::begin(bytes[0])?;
    for at in 1..bytes.len() {
        match value.find_end(&bytes[at..=at], 0) {
            Ok(None) => {}
            Ok(Some(rest)) => {
                assert_eq!(whole, Ok(Some(at + rest)));
                return whole;
            }
            Err(error) => {
                assert_eq!(whole, Err(error));
                return whole;
            }
        }
    }
    assert_eq!(whole, Ok(None));
    whole
}

#[test]
fn values_of_every_form_end_where_they_end() {
    for value in [
        r#"{}"#,
        r#"[]"#,
        r#""""#,
        r#""a text that is longer than the widest of vector registers, which are 64 bytes long today""#,
        r#""quote \" backslash \\""#,
        r#"{"brackets in a text":"}]{[","a":[1,{"b":"\\"}]}"#,
        "-12.5e+3",
        "null",
        "[\n  1,\n  2\n]",
    ] {
        assert_eq!(end(&format!("{value},")), Ok(Some(value.len())), "{value}");
        assert_eq!(end(&format!("{value} x")), Ok(Some(value.len())), "{value}");
    }
}

#[test]
fn a_value_cut_anywhere_has_no_end() {
    let value = r#"{"a":"b\"c","d":[1,2,{"e":null}]}"#;
    for length in 1..value.len() {
        assert_eq!(end(&value[..length]), Ok(None), "{length}");
    }
}

#[test]
fn a_lost_quote_is_noticed_at_the_end_of_the_line() {
    assert!(end("{\"a\":\"b}\n{\"c\":1}").is_err());
}

#[test]
fn a_value_cannot_follow_another_without_a_comma() {
    for cut in [r#"{"a":"b""#, r#"{"a""#, r#"{"a":1"#, r#"{"a":tru"#, r#"{"a":{}"#, r#"[[1]"#] {
        for next in ["{", "\n{", "\n \n{"] {
            assert!(end(&format!("{cut}{next}")).is_err(), "{cut}{next}");
        }
    }
}

#[test]
fn a_line_break_ends_no_escape() {
    assert!(end("{\"a\":\"b\\\n{\"c\":1}").is_err());
}

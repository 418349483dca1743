use super::*;

#[test]
fn what_is_wrong_is_said_without_quoting_it() {
    assert_eq!(check(br#"{"a":["s3cret"]}"#), Ok(()));
    for (json, said) in [
        (&br#"{"a":s3cret}"#[..], "syntax error at line 1 column 6"),
        (br#"{"a":"s3cret"#, "ends too early at line 1 column 12"),
        (b"\"s3cret\xff\"", "not UTF-8 at byte 7"),
    ] {
        assert_eq!(check(json).unwrap_err().to_string(), said);
    }
    let error = serde_json::from_str::<u8>(r#""s3cret""#).unwrap_err();
    assert!(error.to_string().contains("s3cret") && !position(&error).contains("s3cret"));
}

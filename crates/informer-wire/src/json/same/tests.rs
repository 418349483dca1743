use super::*;

#[test]
fn white_space_escapes_and_the_order_of_members_do_not_count() {
    let text = r#"{"a":{"b":"<é/\n","c":[1,2.5,null]},"d":""}"#;
    for other in [
        text,
        "{ \"a\" : {\"b\":\"<é/\\n\",\n\t\"c\":[1, 2.5 ,null] } ,\r\n\"d\":\"\"} ",
        r#"{"a":{"b":"\u003c\u00e9\/\u000a","c":[1,2.5,null]},"d":""}"#,
        r#"{"d":"","\u0061":{"c":[1,2.50,null],"b":"<é/\n"}}"#,
    ] {
        assert!(
            same(text.as_bytes(), other.as_bytes()) && same(other.as_bytes(), text.as_bytes()),
            "{other}"
        );
    }
    for other in [
        r#"{"a":{"b":"<é/ \n","c":[1,2.5,null]},"d":""}"#,
        r#"{"a":{"b":"<é/\n","c":[2.5,1,null]},"d":""}"#,
        r#"{"a":{"b":"<é/\n","c":["1",2.5,null]},"d":""}"#,
        r#"{"a":{"b":"<é/\n","c":[1,2.5]},"d":""}"#,
        r#"{"a":{"b":"<é/\n","c":[1,2.5,null]}}"#,
        r#"{"a":{"b":"<é/\n","c":[1,2.5,null]},"d":null}"#,
        "",
        "{",
    ] {
        assert!(
            !same(text.as_bytes(), other.as_bytes()) && !same(other.as_bytes(), text.as_bytes()),
            "{other}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_the_same_only_byte_for_byte() {
    let deep = |space: &str| format!("{}{space}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(same(deep("").as_bytes(), deep("").as_bytes()));
    assert!(!same(deep("").as_bytes(), deep(" ").as_bytes()));
    assert!(same(b"{", b"{") && !same(b"{", b"{ "));
}

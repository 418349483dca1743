use super::*;

#[test]
fn members_are_found_in_whole_and_in_cut_documents() {
    let document = br#" { "a" : 1 , "b":{"a":2}, "c":"text" } "#;
    assert_eq!(member(document, "a"), Some((b"1".as_slice(), true)));
    assert_eq!(member(document, "b"), Some((br#"{"a":2}"#.as_slice(), true)));
    assert_eq!(member(document, "c"), Some((br#""text""#.as_slice(), true)));
    assert_eq!(member(document, "d"), None);
    assert_eq!(member(br#"{"a":{"b":"#, "a"), Some((br#"{"b":"#.as_slice(), false)));
    assert_eq!(member(br#"{"\u0061":7}"#, "a"), Some((b"7".as_slice(), true)));
}

#[test]
fn of_members_that_stand_there_twice_the_last_counts() {
    let document = br#"{"a":1,"b":[{"a":2}],"\u0061":"3"}"#;
    assert_eq!(last_member(document, "a"), Some(br#""3""#.as_slice()));
    assert_eq!(last_member(document, "c"), None);
    for other in [b"null".as_slice(), b"[1]", b"", br#""a""#] {
        assert_eq!(last_member(other, "a"), None);
    }
}

#[test]
fn separators_have_to_be_right() {
    for bad in
        [r#"{,}"#, r#"{"a"}"#, r#"{"a":1 "b":2}"#, r#"{"a":1,}"#, r#"{"a":,}"#, r#"{a:1}"#, r#"[1]"#, "x"]
    {
        let (mut container, mut at) = (Container::object(), 0);
        let failed = loop {
            match container.next_mark(bad.as_bytes(), &mut at) {
                Ok(Some(Mark::Close(_)) | None) => break false,
                Ok(Some(_)) => {}
                Err(_) => break true,
            }
        };
        assert!(failed, "{bad}");
    }
}

use super::*;

#[test]
fn members_come_one_by_one() {
    let json = br#" { "a" : [1, "x" ,{}] , "b":null } ,"#;
    let mut members = Members::of(json, 1).unwrap();
    assert_eq!(members.next(), Some(Some(&br#""a""#[..])));
    let mut elements = Members::of(json, members.at()).unwrap();
    let mut values = Vec::new();
    while elements.next().unwrap().is_some() {
        values.push(elements.value().unwrap());
    }
    assert_eq!(values, [&b"1"[..], br#""x""#, b"{}"]);
    members.skip_to(elements.at());
    assert_eq!(members.next(), Some(Some(&br#""b""#[..])));
    assert_eq!(members.value(), Some(&b"null"[..]));
    assert_eq!(members.next(), Some(None));
    assert_eq!(json[members.at()..], *b" ,");
    assert!(Members::of(json, 0).is_none());
    for broken in [
        r#"{"a" 1}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1,}"#,
        r#"{,}"#,
        "[1 2]",
        "[1,]",
        "[,]",
        "{",
        "[",
        r#"{"a""#,
    ] {
        let mut members = Members::of(broken.as_bytes(), 0).unwrap();
        let broke = loop {
            match members.next() {
                None => break true,
                Some(None) => break false,
                Some(Some(_)) if members.value().is_none() => break true,
                Some(Some(_)) => {}
            }
        };
        assert!(broke, "{broken}");
    }
}

#[test]
fn members_are_found_in_whole_and_in_cut_documents() {
    let document = br#" { "a" : 1 , "b":{"a":2}, "c":"text" } "#;
    assert_eq!(member_of_beginning(document, "a"), Some((b"1".as_slice(), true)));
    assert_eq!(member_of_beginning(document, "b"), Some((br#"{"a":2}"#.as_slice(), true)));
    assert_eq!(member_of_beginning(document, "c"), Some((br#""text""#.as_slice(), true)));
    assert_eq!(member_of_beginning(document, "d"), None);
    assert_eq!(member_of_beginning(br#"{"a":{"b":"#, "a"), Some((br#"{"b":"#.as_slice(), false)));
    assert_eq!(member_of_beginning(br#"{"\u0061":7}"#, "a"), Some((b"7".as_slice(), true)));
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

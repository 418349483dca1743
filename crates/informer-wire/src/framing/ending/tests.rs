use super::*;

#[test]
fn a_mark_is_found_wherever_the_chunks_are_cut() {
    let ending = Ending::next_item(br#"{"metadata":{"name":"a"}}"#).unwrap();
    let body = br#"{"metadata":{"name":"a"},"x":[{},{"meta":1}]},{"metadata":{"name":"b"}}"#;
    let end = ending.find(body).unwrap();
    assert!(body[..end].ends_with(br#"},{"metadata":{"#));
    for cut in 1..end {
        let (held, new) = body.split_at(cut);
        assert_eq!(ending.find_on(held, new), Some(end - cut), "{cut}");
    }
    assert_eq!(ending.find_on(&body[end..], b"x"), None);
}

#[test]
fn items_begin_alike_up_to_their_metadata() {
    let mark = |item: &str| {
        Ending::next_item(item.as_bytes()).map(|ending| match ending.mark {
            EndMark::NextItem(mark) => String::from_utf8(mark.needle().to_vec()).unwrap(),
            EndMark::Line => panic!("an item is not a line"),
        })
    };
    let custom = r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"#;
    assert_eq!(mark(&format!(r#"{custom}"name":"a"}}}}"#)), Some(format!(",{custom}")));
    assert_eq!(mark(r#"{"metadata": {"name":"a"}}"#), None, "printed over several lines");
    assert_eq!(mark(r#"{"meta"#), None, "the chunk ends here");
    assert_eq!(mark(r#"["metadata":{"#), None);
}

#[test]
fn events_may_end_with_two_brackets() {
    for closed in ["}}", "} }", "}", "}} ", "}}\n", " }\t"] {
        assert!(Ending::line().may_be_behind(closed.as_bytes()), "{closed}");
    }
    for open in ["", " ", "x", "x}", "\"}", "}]", "{", "}}x"] {
        assert!(!Ending::line().may_be_behind(open.as_bytes()), "{open}");
    }
}

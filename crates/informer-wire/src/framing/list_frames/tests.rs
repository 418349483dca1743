use super::*;
use crate::testing::{chunks, to_the_end};

type Split = (Vec<String>, Result<ListFrame, StreamError>);

fn split(body: &str, size: usize, limit: usize) -> Split {
    let mut frames = ListFrames::new(limit);
    let mut items = Vec::new();
    for chunk in to_the_end(chunks(body, size)) {
        match chunk {
            Some(chunk) => frames.push(chunk),
            None => _ = frames.end_of_body(),
        }
        while let Some(item) = frames.next_item(|_| None::<((), usize)>) {
            match item {
                Ok(FramedItem::Taken(())) => panic!("nothing was taken"),
                Ok(FramedItem::Split(item)) => items.push(String::from_utf8(item.to_vec()).unwrap()),
                Err(error) => assert_eq!(frames.finish().unwrap_err(), error, "an error is not forgotten"),
            }
        }
    }
    let end = frames.finish();
    (items, end)
}

const LIMIT: usize = 1 << 20;

#[test]
fn p_075_items_come_in_any_key_order() {
    let (kind, metadata) = (r#""kind":"L""#, r#""metadata":{"resourceVersion":"7","items":[8]}"#);
    let items = r#""items":[{"a":{"items":[9]}},{"metadata":{"x":"]}"}}]"#;
    let mut orders = Vec::new();
    for parts in [[kind, metadata, items], [items, kind, metadata], [kind, items, metadata]] {
        orders.push(format!("{{{}}}", parts.join(",")));
        orders.push(format!("{{\n  {}\n}}\n", parts.join(",\n  ").replace("},{", "},\n{")));
    }
    for body in orders {
        for size in 1..=body.len() {
            let (items, end) = split(&body, size, LIMIT);
            assert_eq!(items, [r#"{"a":{"items":[9]}}"#, r#"{"metadata":{"x":"]}"}}"#], "{body} {size}");
            let end = end.unwrap();
            assert!(end.has_items);
            assert_eq!(end.get("kind"), Some(br#""L""#.as_slice()));
            assert!(end.get("metadata").unwrap().starts_with(br#"{"resourceVersion":"7""#));
            assert_eq!(end.get("items"), None);
        }
    }
}

#[test]
fn p_075_no_items_is_an_empty_list() {
    for (body, has_items) in
        [(r#"{"items":null}"#, true), (r#"{"items":[ ]}"#, true), (r#"{"kind":"L"}"#, false), ("{}", false)]
    {
        for size in [1, 3, 100] {
            let (items, end) = split(body, size, LIMIT);
            assert_eq!((items.len(), end.unwrap().has_items), (0, has_items), "{body}");
        }
    }
}

#[test]
fn p_024_a_cut_body_is_never_a_list() {
    let body = r#"{"kind":"L","items":[{"a":1},{"b":2}],"metadata":{"resourceVersion":"7"}}"#;
    for length in 0..body.len() {
        for size in [1, 7, 1000] {
            assert_eq!(split(&body[..length], size, LIMIT).1.unwrap_err(), StreamError::CutFrame, "{length}");
        }
    }
    assert!(split(body, 7, LIMIT).1.is_ok());
}

#[test]
fn what_follows_the_list_spoils_it() {
    for rest in [r#"{"kind":"Status","code":500}"#, "x", "}", ","] {
        let body = format!("{{\"items\":[]}}\n{rest}");
        assert!(matches!(split(&body, 4, LIMIT).1, Err(StreamError::NotJson(_))), "{rest}");
    }
}

#[test]
fn a_status_within_a_broken_list_spoils_it() {
    let body = r#"{"kind":"L","items":[{"a":1},{"b":{"kind":"Status","code":500}"#;
    assert_eq!(split(body, 1000, LIMIT).1.unwrap_err(), StreamError::CutFrame);
    let body = r#"{"kind":"L","items":[{"a":1}{"kind":"Status","code":500}"#;
    assert!(matches!(split(body, 1000, LIMIT).1, Err(StreamError::NotJson(_))));
}

#[test]
fn malformed_lists_are_no_lists() {
    for body in [
        "[]",
        "x",
        r#"{"items":[1,]}"#,
        r#"{"items":[,1]}"#,
        r#"{"items":[1 2]}"#,
        r#"{"items":{"a":1}}"#,
        r#"{"items":"x"}"#,
        r#"{"items":[],"items":[1]}"#,
        r#"{"kind":"a","kind":"b"}"#,
        r#"{"kind":nonsense}"#,
        r#"{"metadata":{"a":}}"#,
        r#"{"items":[]]"#,
    ] {
        for size in [1, 5, 1000] {
            assert!(split(body, size, LIMIT).1.is_err(), "{body}");
        }
    }
}

#[test]
fn limits_hold_for_items_and_for_the_rest() {
    let big = "x".repeat(100);
    let item = format!(r#"{{"items":[{{"metadata":{{"name":"n","namespace":"s"}},"a":"{big}"}}]}}"#);
    let beside = format!(r#"{{"a":"{big}","items":[]}}"#);
    let together = format!(r#"{{"a":"{0}","b":"{0}","items":[]}}"#, &big[..50]);
    for size in [1, 30, 1000] {
        match split(&item, size, 80).1 {
            Err(StreamError::TooBig { limit: 80, key }) => assert_eq!(key.unwrap().to_string(), "s/n"),
            other => panic!("{other:?}"),
        }
        for body in [&beside, &together] {
            let error = split(body, size, 80).1.unwrap_err();
            assert_eq!(error, StreamError::TooBig { limit: 80, key: None });
        }
        // Many small items are no problem, however long the list.
        let many = format!(r#"{{"items":[{}]}}"#, vec![r#"{"a":1}"#; 100].join(","));
        assert_eq!(split(&many, size, 80).0.len(), 100);
    }
}

#[test]
fn items_that_nobody_read_are_not_lost_in_silence() {
    let mut frames = ListFrames::new(LIMIT);
    frames.push(Bytes::from_static(br#"{"items":[1]}"#));
    assert!(frames.finish().is_err());
}

#[test]
fn as_many_members_beside_the_items_as_an_event_may_have_and_no_more() {
    let body = |members: usize| {
        let members: Vec<_> = (0..members).map(|number| format!("\"m{number}\":1")).collect();
        format!("{{{},\"items\":[]}}", members.join(","))
    };
    assert!(split(&body(MOST_MEMBERS), 4096, LIMIT).1.is_ok());
    assert!(matches!(split(&body(MOST_MEMBERS + 1), 4096, LIMIT).1, Err(StreamError::TooBig { .. })));
}

use informer_core::object::known::NothingKnown;

use crate::source::testing::DEFAULT_LIMIT;

use super::*;
use crate::source::testing::{KnowsOne, chunks, config_maps, to_the_end};

fn list_in(body: &str, size: usize) -> (Vec<String>, Result<ListEnd, StreamError>) {
    let (mut decoder, ingest) = (ListDecoder::new(DEFAULT_LIMIT), config_maps());
    let mut items = Vec::new();
    for chunk in to_the_end(chunks(body, size)) {
        match chunk {
            Some(chunk) => decoder.push(chunk),
            None => _ = decoder.end_of_body(),
        }
        while let Some(item) = decoder.next(&ingest, &NothingKnown) {
            match item {
                Ok(ListItem::Object(record)) => items.push(record.key().to_string()),
                Ok(other) => items.push(format!("{other:?}")),
                Err(error) => assert_eq!(decoder.finish().unwrap_err(), error, "an error is not forgotten"),
            }
        }
    }
    let end = decoder.finish();
    (items, end)
}

/// The list, the same whatever the chunks.
fn list(body: &str) -> (Vec<String>, Result<ListEnd, StreamError>) {
    let whole = list_in(body, 1 << 20);
    for size in [1, 2, 7, 64] {
        assert_eq!(list_in(body, size), whole);
    }
    whole
}

const ITEMS: &str =
    r#"[{"metadata":{"name":"a","namespace":"d"}},{"metadata":{"name":"b","namespace":"d"}}]"#;

#[test]
fn p_075_metadata_may_come_after_the_items() {
    let built_in = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":{ITEMS}}}"#
    );
    let custom = format!(
        r#"{{"apiVersion":"x/v1","items":{ITEMS},"kind":"PodList","metadata":{{"continue":"","resourceVersion":"9"}}}}"#
    );
    for body in [built_in, custom] {
        let (items, end) = list(&(body + "\n"));
        assert_eq!(items, ["d/a", "d/b"]);
        let version = ResourceVersion::new("9");
        let expected = ListEnd { version, continue_token: None };
        assert_eq!(end.unwrap(), expected);
    }
}

#[test]
fn p_075_null_and_absent_items_are_none() {
    for items in [r#","items":null"#, r#","items":[]"#, ""] {
        let body = format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"9"}}{items}}}"#);
        let (items, end) = list(&body);
        assert!(items.is_empty() && end.is_ok(), "{body}");
    }
}

#[test]
fn a_page_says_how_to_go_on() {
    let body = r#"{"kind":"PodList","metadata":{"resourceVersion":"9","continue":"abc","remainingItemCount":12},"items":[]}"#;
    let end = list(body).1.unwrap();
    assert_eq!(end.continue_token.as_deref(), Some("abc"));
}

#[test]
fn p_024_a_truncated_list_is_a_failed_list() {
    let body = format!(r#"{{"kind":"PodList","metadata":{{"resourceVersion":"9"}},"items":{ITEMS}}}"#);
    for length in 0..body.len() {
        assert_eq!(list_in(&body[..length], 11).1, Err(StreamError::CutFrame), "{length}");
    }
    let appended = body + r#"{"kind":"Status","code":500}"#;
    assert!(matches!(list(&appended).1, Err(StreamError::NotJson(_))));
}

#[test]
fn a_list_without_a_version_cannot_be_followed() {
    for metadata in [r#""metadata":{},"#, r#""metadata":null,"#, r#""metadata":{"resourceVersion":""},"#, ""]
    {
        let body = format!(r#"{{"kind":"PodList",{metadata}"items":[]}}"#);
        assert_eq!(list(&body).1, Err(StreamError::NoVersion), "{body}");
    }
}

#[test]
fn b_027_a_table_is_not_a_list() {
    let table = r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":[],"rows":[]}"#;
    assert_eq!(list(table).1, Err(StreamError::NotAList("a Table".into())));
    let mut decoder = ListDecoder::new(DEFAULT_LIMIT);
    decoder.push(Bytes::from_static(br#"{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[1,"#));
    assert!(decoder.next(&config_maps(), &NothingKnown).unwrap().is_err(), "refused at its beginning");
}

#[test]
fn other_documents_are_not_lists() {
    let pod = r#"{"kind":"Pod","metadata":{"name":"a","resourceVersion":"9"}}"#;
    let error = list(pod).1.unwrap_err();
    assert_eq!(error.to_string(), "expected a list but the server sent a Pod");
    assert_eq!(list("{}").1, Err(StreamError::NotAList(String::new())));
    let status = r#"{"kind":"Status","code":500,"message":"boom","details":{"retryAfterSeconds":3}}"#;
    match list(status).1 {
        Err(StreamError::Status(failure)) => {
            assert_eq!((failure.code, failure.message.as_str()), (500, "boom"));
            assert_eq!(failure.retry_after.unwrap().as_secs(), 3);
        }
        other => panic!("{other:?}"),
    }
    let odd_name = r#"{"kind":"Sheep","metadata":{"resourceVersion":"9"},"items":[]}"#;
    assert!(list(odd_name).1.is_ok(), "custom resources may name their lists as they like");
}

#[test]
fn an_item_that_cannot_be_taken_in_is_left_out_alone() {
    let body = r#"{"kind":"L","metadata":{"resourceVersion":"9"},"items":[{},{"kind":"Secret","metadata":{"name":"s"}},null,7,{"metadata":{"name":"a"}}]}"#;
    let (items, end) = list(body);
    assert_eq!(items.len(), 5);
    assert_eq!(items.last().map(String::as_str), Some("a"));
    assert_eq!(items.iter().filter(|item| item.starts_with("LeftOut")).count(), 4);
    assert!(end.is_ok());
    let broken = body.replace("null", "nul");
    assert!(matches!(list(&broken).1, Err(StreamError::NotJson(_))), "but it has to be JSON");
}

#[test]
fn items_that_are_known_are_not_built_again() {
    let ingest = config_maps();
    let known = KnowsOne::new(informer_core::object::testing::record(ingest.origin(), "d/a", "u", "1"));
    let known_json = known.record.with_json(|json| String::from_utf8(json.to_vec()).unwrap());
    let next = known_json.replace(r#""resourceVersion":"1""#, r#""resourceVersion":"2""#);
    let other = known_json.replacen('{', r#"{"immutable":true,"#, 1);
    assert!(next != known_json && other != known_json);
    let body = format!(r#"{{"items":[{known_json},{next},{other}]}}"#);
    let mut decoder = ListDecoder::new(DEFAULT_LIMIT);
    decoder.push(Bytes::from(body));
    decoder.end_of_body();
    let mut same = Vec::new();
    while let Some(Ok(ListItem::Object(record))) = decoder.next(&ingest, &known) {
        same.push(Arc::ptr_eq(&record, &known.record));
    }
    assert_eq!(
        same,
        [true, false, false],
        "the same, the next version, and the same version with other content"
    );
}

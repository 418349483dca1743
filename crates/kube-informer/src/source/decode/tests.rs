use std::sync::atomic::{AtomicUsize, Ordering};

use informer_core::object::ingest::IngestOptions;
use informer_core::object::known::NothingKnown;
use informer_core::object::transform::TypedTransform;

use crate::source::testing::DEFAULT_LIMIT;

use super::*;
use crate::kind::KindInfo;
use crate::report::Reporter;
use crate::source::testing::{KnowsOne, chunks, config_maps, to_the_end};

/// Every event of a body, printed, and how it ended.
fn events(body: &str, size: usize) -> (Vec<String>, Result<(), StreamError>) {
    let (mut decoder, ingest) = (WatchDecoder::new(DEFAULT_LIMIT, false), config_maps());
    let mut seen = Vec::new();
    for chunk in to_the_end(chunks(body, size)) {
        match chunk {
            Some(chunk) => decoder.push(chunk),
            None => _ = decoder.end_of_body(),
        }
        while let Some(item) = decoder.next(&ingest, &NothingKnown) {
            seen.push(match item {
                Ok(WatchItem::Object { change, record }) => {
                    format!("{change:?} {}@{}", record.key(), record.head.resource_version)
                }
                Ok(other) => format!("{other:?}"),
                Err(error) => format!("error: {error}"),
            });
        }
    }
    (seen, decoder.finish())
}

/// The only event of a body, whatever the chunks.
fn one(body: &str) -> String {
    let whole = events(body, 1 << 20);
    assert_eq!(whole.0.len(), 1, "{:?}", whole.0);
    for size in [1, 2, 5, 16] {
        assert_eq!(events(body, size), whole);
    }
    whole.0.into_iter().next().unwrap()
}

fn event(event_type: &str, name: &str, version: &str) -> String {
    let metadata = format!(r#"{{"name":"{name}","namespace":"d","uid":"u","resourceVersion":"{version}"}}"#);
    format!(r#"{{"type":"{event_type}","object":{{"kind":"ConfigMap","metadata":{metadata}}}}}"#) + "\n"
}

#[test]
fn p_046_events_over_any_chunk_boundary() {
    let body = event("ADDED", "a", "1") + &event("MODIFIED", "a", "2") + &event("DELETED", "a", "3");
    for size in 1..body.len() + 1 {
        let (seen, end) = events(&body, size);
        assert_eq!(seen, ["Added d/a@1", "Modified d/a@2", "Deleted d/a@3"], "{size}");
        assert_eq!(end, Ok(()));
    }
    let large =
        event("ADDED", "a", "1").replace("\"kind\"", &format!("\"x\":\"{}\",\"kind\"", "y".repeat(5 << 20)));
    for size in [16 << 10, 10 << 20] {
        assert_eq!(events(&large, size), (vec!["Added d/a@1".to_owned()], Ok(())), "events of several MiB");
    }
}

/// Each event is there with its last byte, line break or not, and does not wait for the next.
#[test]
fn events_are_given_as_soon_as_they_are_whole() {
    let each = [event("ADDED", "a", "1"), event("MODIFIED", "a", "2"), event("DELETED", "a", "3")];
    for between in ["\n", "", " ", "\r\n"] {
        let each = each.each_ref().map(|event| event.trim_end());
        let body = each.join(between) + between;
        let ends = [0, 1, 2].map(|number| each[..=number].join(between).len());
        for size in 1..body.len() {
            let (mut decoder, ingest) = (WatchDecoder::new(DEFAULT_LIMIT, false), config_maps());
            let (mut pushed, mut seen) = (0, 0);
            for chunk in chunks(&body, size) {
                pushed += chunk.len();
                decoder.push(chunk);
                while let Some(item) = decoder.next(&ingest, &NothingKnown) {
                    item.unwrap();
                    seen += 1;
                }
                assert_eq!(seen, ends.iter().filter(|end| **end <= pushed).count(), "{between:?}, {size}");
            }
        }
    }
}

#[test]
fn p_075_type_may_come_after_object() {
    let body = r#"{"object":{"metadata":{"creationTimestamp":null,"resourceVersion":"5","name":"a"}},"type":"ADDED"}"#;
    assert_eq!(one(body), "Added a@5");
    assert_eq!(one(&body.replace(",", " ,\n\t ").replace(":", " :\n")), "Added a@5");
}

#[test]
fn p_044_an_event_cut_in_the_middle_is_not_an_event() {
    let (first, second) = (event("ADDED", "a", "1"), event("ADDED", "b", "2"));
    for length in 1..second.len() - 1 {
        let (seen, end) = events(&format!("{first}{}", &second[..length]), 9);
        assert_eq!(seen, ["Added d/a@1"], "{length}");
        assert_eq!(end, Err(StreamError::CutFrame), "{length}");
    }
}

#[test]
fn p_045_text_in_the_place_of_events_is_not_json() {
    for body in ["404 page not found\n", "<html></html>", "upstream connect error"] {
        let (seen, end) = events(body, 7);
        assert_eq!(seen.len(), 1);
        assert!(matches!(end, Err(StreamError::NotJson(_))), "{end:?}");
    }
}

#[test]
fn p_047_unknown_types_and_fields_are_ignored() {
    let later =
        event("NEWS", "a", "1") + &event("ADDED", "b", "2").replace("{\"type\"", "{\"new\":[1],\"type\"");
    let (seen, end) = events(&later, 11);
    assert_eq!(seen, ["Ignored { event_type: \"NEWS\" }", "Added d/b@2"]);
    assert_eq!(end, Ok(()));
    assert_eq!(one(r#"{"type":5,"object":null}"#), "Ignored { event_type: \"5\" }");
    assert_eq!(one(r#"{"hello":"world"}"#), "Ignored { event_type: \"\" }");
}

#[test]
fn b_054_p_052_of_a_bookmark_only_the_metadata_is_read() {
    let bookmark = |metadata: &str| {
        let object =
            format!(r#"{{"kind":"Pod","metadata":{metadata},"spec":{{"containers":null}},"status":{{}}}}"#);
        one(&format!(r#"{{"type":"BOOKMARK","object":{object}}}"#))
    };
    let plain = r#"{"resourceVersion":"12","creationTimestamp":null}"#;
    assert_eq!(bookmark(plain), "Bookmark { version: rv:12, initial_events_end: false }");
    let end = r#"{"resourceVersion":"12","annotations":{"k8s.io/initial-events-end":"true"}}"#;
    assert_eq!(bookmark(end), "Bookmark { version: rv:12, initial_events_end: true }");
    for not_end in [end.replace("\"true\"", "\"false\""), end.replace("\"true\"", "true"), plain.to_owned()] {
        assert!(bookmark(&not_end).ends_with("initial_events_end: false }"), "{not_end}");
    }
    for useless in ["{}", "null", r#"{"resourceVersion":""}"#, r#"{"resourceVersion":5}"#] {
        assert_eq!(bookmark(useless), "Ignored { event_type: \"BOOKMARK\" }", "{useless}");
    }
    assert_eq!(one(r#"{"type":"BOOKMARK"}"#), "Ignored { event_type: \"BOOKMARK\" }");
}

#[test]
fn error_events_are_the_status_they_carry() {
    let status = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (1234)","reason":"Expired","code":410}"#;
    for body in [format!(r#"{{"type":"ERROR","object":{status}}}"#), status.to_owned()] {
        let mut decoder = WatchDecoder::new(DEFAULT_LIMIT, false);
        decoder.push(Bytes::from(body));
        match decoder.next(&config_maps(), &NothingKnown) {
            Some(Ok(WatchItem::Error(failure))) => {
                assert!(failure.is_expired());
                assert_eq!(failure.to_string(), "too old resource version: 1 (1234)");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(one(r#"{"type":"ERROR","object":null}"#).contains("code: 500"));
    assert!(one(r#"{"type":"ERROR"}"#).contains("code: 500"));
}

#[test]
fn an_event_type_may_be_written_with_escapes() {
    for (written, change) in
        [(r"\u0041DDED", "Added"), (r"MODI\u0046IED", "Modified"), (r"DELETE\u0044", "Deleted")]
    {
        assert_eq!(one(event(written, "a", "1").trim_end()), format!("{change} d/a@1"), "{written}");
    }
    let bookmark = r#"{"type":"BOOK\u004dARK","object":{"metadata":{"resourceVersion":"7"}}}"#;
    assert_eq!(one(bookmark), "Bookmark { version: rv:7, initial_events_end: false }");
}

#[test]
fn the_text_of_an_error_that_is_no_status_is_kept() {
    let failure = one(r#"{"type":"ERROR","object":"etcd is on fire"}"#);
    assert!(failure.contains(r#"code: 500"#) && failure.contains("etcd is on fire"), "{failure}");
}

#[test]
fn of_a_message_without_end_the_beginning_is_kept() {
    let long = "ä".repeat(5 << 20);
    let causes = vec![format!(r#"{{"reason":"{long}"}}"#); 3].join(",");
    let status = format!(r#"{{"kind":"Status","message":"{long}","details":{{"causes":[{causes}]}}}}"#);
    for event in [
        format!(r#"{{"type":"ERROR","object":{status}}}"#),
        format!(r#"{{"type":"ERROR","object":"{long}"}}"#),
        status,
    ] {
        let mut decoder = WatchDecoder::new(64 << 20, false);
        decoder.push(Bytes::from(event));
        let Some(Ok(WatchItem::Error(failure))) = decoder.next(&config_maps(), &NothingKnown) else {
            panic!("no error");
        };
        assert!(failure.message.starts_with("ää") && failure.message.ends_with("… (10485760 bytes in all)"));
        let kept = failure.message.len() + failure.causes.iter().map(String::len).sum::<usize>();
        assert!(kept < 20 << 10, "{kept} bytes");
    }
}

#[test]
fn what_is_nested_deeply_is_read_like_everything_else() {
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let bookmark =
        format!(r#"{{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"12"}},"spec":{deep}}}}}"#);
    assert_eq!(one(&bookmark), "Bookmark { version: rv:12, initial_events_end: false }");
    let error =
        format!(r#"{{"type":"ERROR","object":{{"code":410,"details":{deep},"message":"gone","x":{deep}}}}}"#);
    let error = one(&error);
    assert!(error.contains("code: 410") && error.contains("gone"), "{error}");
    assert_eq!(one(&format!(r#"{{"type":"NEWS","object":{deep}}}"#)), "Ignored { event_type: \"NEWS\" }");
    assert_eq!(one(&format!(r#"{{"hello":{deep}}}"#)), "Ignored { event_type: \"\" }");
}

#[test]
fn an_object_that_cannot_be_taken_in_is_left_out_alone() {
    let nameless = r#"{"type":"ADDED","object":{"kind":"ConfigMap","metadata":{}}}"#;
    let other = event("ADDED", "a", "1").replace("ConfigMap", "Secret");
    let empty = r#"{"type":"MODIFIED"}"#;
    let (seen, end) = events(&format!("{nameless}\n{other}{empty}\n{}", event("ADDED", "b", "2")), 20);
    assert_eq!(end, Ok(()));
    assert_eq!(
        seen,
        [
            "LeftOut { key: None, version: rv:, message: \"it has no name\" }",
            "LeftOut { key: Some(d/a), version: rv:1, message: \"it is a Secret of (unnamed), not a ConfigMap of v1\" }",
            "LeftOut { key: None, version: rv:, message: \"the event has no object\" }",
            "Added d/b@2",
        ]
    );
}

#[test]
fn bytes_that_are_not_json_end_the_stream() {
    for broken in [
        r#"{"type":"ADDED","object":{"metadata":{"name":"a",}}}"#,
        r#"{"type":"ADDED","object":{"metadata":{"name":"a"}},"x":nonsense}"#,
        r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"},}}"#,
        r#"{"type":"NEWS","object":{"a" "b"}}"#,
        r#"{"type":"ADDED" "object":{}}"#,
    ] {
        let (seen, end) = events(&format!("{broken}\n{}", event("ADDED", "b", "2")), 6);
        assert_eq!(seen.len(), 1, "nothing comes after {broken}");
        assert!(matches!(end, Err(StreamError::NotJson(_))), "{broken}: {end:?}");
    }
}

#[test]
fn errors_never_show_what_was_read() {
    let secret = r#"{"type":hunter2,"object":{"data":"hunter2"}}"#;
    assert!(!one(secret).contains("hunter2"));
    let secret = r#"{"type":"ADDED","hunter2":hunter2}"#;
    assert!(!one(secret).contains("hunter2"));
}

#[test]
fn the_store_is_asked_for_initial_events_only() {
    let ingest = config_maps();
    let stored = informer_core::object::testing::record(ingest.origin(), "d/a", "u", "1");
    let known = KnowsOne::new(stored.clone());
    let end = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
    let known_json = stored.with_json(|json| String::from_utf8(json.to_vec()).unwrap());
    let event = |of: &str| format!("{{\"type\":\"{of}\",\"object\":{known_json}}}\n");
    let body = format!("{}{end}\n{}", event("ADDED"), event("MODIFIED"));

    let mut decoder = WatchDecoder::new(DEFAULT_LIMIT, true);
    decoder.push(Bytes::from(body.clone()));
    let mut same = Vec::new();
    while let Some(item) = decoder.next(&ingest, &known) {
        if let WatchItem::Object { record, .. } = item.unwrap() {
            same.push(Arc::ptr_eq(&record, &stored));
        }
    }
    assert_eq!((same, known.asked()), (vec![true, false], 1), "not after the end of the initial events");

    let mut decoder = WatchDecoder::new(DEFAULT_LIMIT, false);
    decoder.push(Bytes::from(body));
    while let Some(item) = decoder.next(&ingest, &known) {
        item.unwrap();
    }
    assert_eq!(known.asked(), 1, "never by a plain watch");
}

#[test]
fn b_060a_a_transform_runs_once_per_version_and_not_for_what_is_known() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let transform = TypedTransform::new(move |_: &mut Value| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok::<_, String>(())
    });
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true);
    let options = IngestOptions::new(kind.clone(), Arc::new(Reporter::new(kind, None)));
    let ingest = Ingest::new(IngestOptions { transform: Some(Arc::new(transform)), ..options });
    let streamed = |body: String, known: &dyn Known| {
        let mut decoder = WatchDecoder::new(DEFAULT_LIMIT, true);
        decoder.push(Bytes::from(body));
        let mut records = Vec::new();
        while let Some(item) = decoder.next(&ingest, known) {
            if let WatchItem::Object { record, .. } = item.unwrap() {
                records.push(record);
            }
        }
        records
    };
    let body = event("ADDED", "a", "1") + &event("ADDED", "b", "2") + &event("MODIFIED", "a", "3");
    let first = streamed(body, &NothingKnown);
    assert_eq!((first.len(), calls.load(Ordering::Relaxed)), (3, 3));
    let known = KnowsOne::new(first[1].clone());
    let again = streamed(event("ADDED", "b", "2") + &event("ADDED", "c", "4"), &known);
    assert!(Arc::ptr_eq(&again[0], &first[1]), "taken over as it was stored");
    assert_eq!(calls.load(Ordering::Relaxed), 4, "only the object that is new");
}

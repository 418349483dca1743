use super::*;
use crate::testing::chunks;

/// All documents of a body, and how it ended.
fn split(chunks: Vec<Bytes>, limit: usize) -> (Vec<Vec<u8>>, Result<(), StreamError>) {
    let mut frames = Frames::new(limit);
    let mut found = Vec::new();
    for chunk in chunks {
        frames.push(chunk);
        while let Some(frame) = frames.next_frame() {
            match frame {
                Ok(frame) => found.push(frame.json.to_vec()),
                Err(error) => assert_eq!(frames.finish(), Err(error), "an error is not forgotten"),
            }
        }
    }
    (found, frames.finish())
}

const EVENTS: &str = "{\"type\":\"ADDED\",\"object\":{\"a\":\"}\\\"{\"}}\n\n  {\"object\":[],\"type\":1}{}\r\n{\n  \
                      \"type\": \"x\",\n  \"object\": {\n    \"b\": [\n      1\n    ]\n  }\n}\n";

#[test]
fn p_046_documents_are_split_at_any_chunk_boundary() {
    let (whole, end) = split(vec![Bytes::from_static(EVENTS.as_bytes())], DEFAULT_LIMIT);
    assert_eq!(end, Ok(()));
    assert_eq!(whole.len(), 4, "one line, after blank lines, without a line break, over many lines");
    for frame in &whole {
        serde_json::from_slice::<serde_json::Value>(frame).unwrap();
    }
    for size in 1..EVENTS.len() {
        assert_eq!(split(chunks(EVENTS, size), DEFAULT_LIMIT), (whole.clone(), Ok(())), "chunks of {size}");
    }
}

#[test]
fn members_are_where_they_are_said_to_be() {
    for size in [1, 2, 3, 7, 1000] {
        let mut frames = Frames::new(DEFAULT_LIMIT);
        let document = r#"{ "type" : "ADDED", "object" : {"type":"inner"}, "x":null, "x":2 }"#;
        let mut seen = 0;
        for chunk in chunks(format!("{document}\n"), size) {
            frames.push(chunk);
            while let Some(frame) = frames.next_frame() {
                let frame = frame.unwrap();
                assert_eq!(frame.json, document.as_bytes());
                assert_eq!(frame.get("type"), Some(br#""ADDED""#.as_slice()));
                assert_eq!(frame.get("object"), Some(br#"{"type":"inner"}"#.as_slice()));
                assert_eq!(frame.get("x"), Some(b"2".as_slice()), "the last one counts");
                assert_eq!(frame.get("y"), None);
                assert_eq!(frame.iter().count(), 4);
                seen += 1;
            }
        }
        assert_eq!(seen, 1);
    }
}

#[test]
fn a_document_within_a_chunk_is_not_copied() {
    let chunk = Bytes::from_static(b"{\"a\":1}\n{\"b\":2}\n");
    let place = chunk.as_ptr_range();
    let mut frames = Frames::new(DEFAULT_LIMIT);
    frames.push(chunk);
    for _ in 0..2 {
        let frame = frames.next_frame().unwrap().unwrap();
        assert!(place.contains(&frame.json.as_ptr()));
    }
    assert!(frames.next_frame().is_none());
}

#[test]
fn chunks_may_be_pushed_before_the_last_was_read() {
    let mut frames = Frames::new(DEFAULT_LIMIT);
    frames.push(Bytes::from_static(b"{\"a\":1}{\"b"));
    frames.push(Bytes::from_static(b"\":2}"));
    assert_eq!(frames.next_frame().unwrap().unwrap().json, b"{\"a\":1}");
    assert_eq!(frames.next_frame().unwrap().unwrap().json, b"{\"b\":2}");
    assert!(frames.next_frame().is_none());
    frames.finish().unwrap();
}

#[test]
fn p_044_a_body_that_ends_within_a_document_was_cut() {
    let document = r#"{"type":"ADDED","object":{"a":"b"}}"#;
    for length in 1..document.len() {
        let (found, end) = split(chunks(&document[..length], 4), DEFAULT_LIMIT);
        assert_eq!((found.len(), end), (0, Err(StreamError::CutFrame)), "{length}");
    }
    assert_eq!(split(chunks(" \n", 1), DEFAULT_LIMIT), (Vec::new(), Ok(())));
}

#[test]
fn what_is_between_documents_must_be_whitespace() {
    for garbage in ["x", "[]", "\"text\"", "1", ",", "}", "<html>"] {
        let (found, end) = split(chunks(format!("{{}}\n{garbage}\n{{}}\n"), 3), DEFAULT_LIMIT);
        assert_eq!(found.len(), 1, "{garbage}");
        assert!(matches!(end, Err(StreamError::NotJson(_))), "{garbage}: {end:?}");
    }
}

#[test]
fn a_lost_byte_is_noticed_with_the_next_event() {
    let event = r#"{"type":"ADDED","object":{"a":{"b":"c"},"d":["e"]}}"#;
    let structural = |byte: char| "{}[]\":,".contains(byte);
    for (place, _) in event.char_indices().filter(|(_, byte)| structural(*byte)) {
        let mut broken = event.to_owned();
        broken.remove(place);
        let (found, end) = split(chunks(format!("{broken}\n{event}\n{event}\n"), 10), DEFAULT_LIMIT);
        // Either the frames see it, or they hand the broken document on and the parser sees it.
        let handed_on = found.iter().any(|frame| serde_json::from_slice::<serde_json::Value>(frame).is_err());
        assert!(handed_on || matches!(end, Err(StreamError::NotJson(_))), "{broken}: {end:?}");
    }
}

#[test]
fn documents_over_the_limit_are_refused_and_named() {
    let metadata = r#""metadata":{"name":"big","namespace":"default"}"#;
    let event = format!(r#"{{"type":"ADDED","object":{{{metadata},"data":"{}"}}}}"#, "x".repeat(200));
    for size in [1, 50, 10_000] {
        let key = Some(ObjectKey::namespaced("default", "big"));
        assert_eq!(
            split(chunks(&event, size), 150).1,
            Err(StreamError::TooBig { limit: 150, key }),
            "{size}"
        );
        assert_eq!(split(chunks(&event, size), event.len()).1, Ok(()));
        assert!(split(chunks(&event, size), event.len() - 1).1.is_err());
    }
    let error = StreamError::TooBig { limit: 150, key: Some(ObjectKey::cluster("big")) };
    assert_eq!(error.to_string(), "object big is larger than the limit of 150 bytes");
    let early = split(chunks(&event, 10), 20).1.unwrap_err();
    assert_eq!(early, StreamError::TooBig { limit: 20, key: None });
    assert_eq!(early.to_string(), "an object is larger than the limit of 20 bytes");
}

#[test]
fn keys_are_read_from_what_there_is() {
    let key = |object: &str| object_key(object.as_bytes()).map(|key| key.to_string());
    assert_eq!(key(r#"{"metadata":{"name":"n","namespace":"s"},"x":"#), Some("s/n".into()));
    assert_eq!(key(r#"{"metadata":{"name":"n"},"x":"#), Some("n".into()));
    assert_eq!(key(r#"{"metadata":{"name":"n","#), None, "a namespace may follow");
    assert_eq!(key(r#"{"metadata":{"namespace":"s","na"#), None);
    assert_eq!(key(r#"{"metadata":{"name":"n","namespace":"s","labels":{"#), Some("s/n".into()));
    assert_eq!(key(r#"{"spec":{"metadata":{"name":"inner"}}}"#), None);
    assert_eq!(key("x"), None);
}

/// As from a proxy that lost the connection behind it and went on with another.
#[test]
fn half_a_document_is_noticed_with_the_second_after_it_wherever_it_is_cut() {
    let event = r#"{"type":"ADDED","object":{"metadata":{"name":"a\"b\\","labels":{},"n":[1,[true],{"x":-2.5e3}]},"y":null}}"#;
    for cut in 1..event.len() {
        let body = format!("{event}\n{}\n{event}\n{event}\n", &event[..cut]);
        for size in [1, 7, body.len()] {
            let mut frames = Frames::new(DEFAULT_LIMIT);
            let mut found = Vec::new();
            for chunk in body.as_bytes().chunks(size) {
                frames.push(Bytes::copy_from_slice(chunk));
                while let Some(frame) = frames.next_frame() {
                    found.push(frame.map(|frame| frame.json.to_vec()));
                }
            }
            let [Ok(whole), Err(StreamError::NotJson(_))] = &found[..] else {
                panic!("{}: {found:?}", &event[..cut]);
            };
            assert_eq!(whole, event.as_bytes());
        }
    }
}

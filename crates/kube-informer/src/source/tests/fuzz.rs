//! Seeded fuzzing of frames and decoders; `INFORMER_SEEDS` for more of it. A failure prints its seed; run
//! that seed alone to see it again.

use bytes::Bytes;
use fastrand::Rng;
use informer_core::object::known::NothingKnown;
use informer_core::object::record::Record;
use informer_core::object::testing;
use informer_wire::framing::{FramedItem, Frames, ListFrames};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::super::decode::{WatchDecoder, WatchItem};
use super::super::decode_list::{ListDecoder, ListItem};
use super::super::testing::{config_maps, to_the_end};

const LIMIT: usize = 1 << 20;

/// Runs so many of a thousand seeds.
fn seeds(of_a_thousand: u64, run: impl Fn(&mut Rng)) {
    for seed in testing::seeds(of_a_thousand) {
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&mut Rng::with_seed(seed))));
        assert!(outcome.is_ok(), "failed with seed {seed}");
    }
}

fn text(rng: &mut Rng) -> String {
    const PIECES: [&str; 14] =
        ["a", "items", "metadata", "\"", "\\", "{", "}", "[", "]", "\n", "é", "\u{1f600}", ",", ":"];
    (0..rng.usize(..6)).map(|_| PIECES[rng.usize(..PIECES.len())]).collect()
}

fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.usize(..if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i32(..)),
        3 => json!(rng.f64()),
        4 => json!(text(rng)),
        5 => (0..rng.usize(..4)).map(|_| value(rng, depth - 1)).collect(),
        _ => object(rng, depth - 1).into(),
    }
}

fn object(rng: &mut Rng, depth: usize) -> Map<String, Value> {
    (0..rng.usize(..4)).map(|_| (text(rng), value(rng, depth))).collect()
}

fn print(rng: &mut Rng, value: &Value) -> Vec<u8> {
    if rng.bool() { serde_json::to_vec(value) } else { serde_json::to_vec_pretty(value) }.unwrap()
}

/// Several documents with whitespace of any form between them, and each on its own.
fn documents(rng: &mut Rng) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (mut body, mut each) = (Vec::new(), Vec::new());
    for _ in 0..rng.usize(..5) {
        let mut document = object(rng, 3);
        if rng.bool() {
            let kind = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "X"][rng.usize(..6)];
            document.insert("type".into(), json!(kind));
            let metadata = json!({ "name": text(rng), "resourceVersion": "5", "x": value(rng, 2) });
            document.insert("object".into(), json!({ "metadata": metadata }));
        }
        let document = print(rng, &document.into());
        body.extend_from_slice([" ", "\n", "\r\n\t", ""][rng.usize(..4)].as_bytes());
        body.extend_from_slice(&document);
        each.push(document);
    }
    (body, each)
}

fn list(rng: &mut Rng) -> Vec<u8> {
    let items: Vec<Value> = (0..rng.usize(..6))
        .map(|place| json!({ "metadata": { "name": format!("n{place}") }, "x": value(rng, 3) }))
        .collect();
    let mut members = vec![
        ("kind".to_owned(), json!("PodList")),
        ("metadata".to_owned(), json!({ "resourceVersion": "7", "items": value(rng, 2) })),
        ("items".to_owned(), json!(items)),
        ("extra".to_owned(), value(rng, 2)),
    ];
    rng.shuffle(&mut members);
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{}:{}", json!(key), String::from_utf8(print(rng, value)).unwrap()))
        .collect();
    format!("{{{}}}", members.join([",", " ,\n"][rng.usize(..2)])).into_bytes()
}

/// The same bytes in chunks of random sizes.
fn cut_up(rng: &mut Rng, bytes: &[u8]) -> Vec<Bytes> {
    let most = [1, 3, 10, 100, 500][rng.usize(..5)];
    let (mut chunks, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at(rng.usize(0..=most).min(rest.len()));
        chunks.push(Bytes::copy_from_slice(chunk));
        rest = more;
    }
    chunks
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const INTERESTING: &[u8] = b"{}[]\",:\\\n x0n";
    for _ in 0..rng.usize(1..4) {
        let place = rng.usize(..=bytes.len());
        let byte = INTERESTING[rng.usize(..INTERESTING.len())];
        match rng.usize(..5) {
            0 => bytes.truncate(place),
            1 if place < bytes.len() => drop(bytes.remove(place)),
            2 if place < bytes.len() => bytes[place] = byte,
            3 if place < bytes.len() => bytes[place] = rng.u8(..),
            _ => bytes.insert(place, byte),
        }
    }
}

fn frames(chunks: Vec<Bytes>) -> (Vec<Vec<u8>>, bool) {
    let (mut frames, mut found) = (Frames::new(LIMIT), Vec::new());
    for chunk in to_the_end(chunks) {
        match chunk {
            Some(chunk) => frames.push(chunk),
            None => _ = frames.end_of_body(),
        }
        while let Some(frame) = frames.next_frame() {
            found.extend(frame.map(|frame| frame.json.to_vec()));
        }
    }
    (found, frames.finish().is_ok())
}

fn list_frames(chunks: Vec<Bytes>) -> (Vec<Vec<u8>>, bool) {
    let (mut frames, mut found) = (ListFrames::new(LIMIT), Vec::new());
    for chunk in to_the_end(chunks) {
        match chunk {
            Some(chunk) => frames.push(chunk),
            None => _ = frames.end_of_body(),
        }
        while let Some(item) = frames.next_item(|_| None::<(Vec<u8>, usize)>) {
            found.extend(item.map(|item| match item {
                FramedItem::Taken(item) => item,
                FramedItem::Split(item) => item.to_vec(),
            }));
        }
    }
    let end = frames.finish().is_ok();
    (found, end)
}

/// How many items a list has, if it is one.
fn decode_list(chunks: Vec<Bytes>) -> Option<usize> {
    let (mut decoder, ingest, mut count) = (ListDecoder::new(LIMIT), config_maps(), 0);
    for chunk in to_the_end(chunks) {
        match chunk {
            Some(chunk) => decoder.push(chunk),
            None => _ = decoder.end_of_body(),
        }
        while let Some(item) = decoder.next(&ingest, &NothingKnown) {
            match item {
                Ok(ListItem::Object(_) | ListItem::LeftOut { .. }) => count += 1,
                Err(_) => assert!(decoder.finish().is_err(), "an error is final"),
            }
        }
    }
    decoder.finish().ok().map(|_| count)
}

/// How many events a watch has, and whether it ended well.
fn decode_watch(chunks: Vec<Bytes>) -> (usize, bool) {
    let (mut decoder, ingest, mut count) = (WatchDecoder::new(LIMIT, true), config_maps(), 0);
    for chunk in to_the_end(chunks) {
        match chunk {
            Some(chunk) => decoder.push(chunk),
            None => _ = decoder.end_of_body(),
        }
        while let Some(item) = decoder.next(&ingest, &NothingKnown) {
            match item {
                Ok(WatchItem::Object { record, .. }) => assert!(!record.key().name().is_empty()),
                Ok(_) => {}
                Err(_) => assert!(decoder.finish().is_err(), "an error is final"),
            }
            count += 1;
        }
    }
    (count, decoder.finish().is_ok())
}

#[test]
fn frames_are_the_same_in_any_chunks() {
    seeds(3_000, |rng| {
        let (body, each) = documents(rng);
        assert_eq!(frames(cut_up(rng, &body)), (each, true));
    });
}

#[test]
fn list_items_are_the_same_in_any_chunks() {
    seeds(3_000, |rng| {
        let body = list(rng);
        let whole: Value = serde_json::from_slice(&body).unwrap();
        let (items, ended_well) = list_frames(cut_up(rng, &body));
        let items: Vec<Value> = items.iter().map(|item| serde_json::from_slice(item).unwrap()).collect();
        assert!(ended_well);
        assert_eq!(Value::from(items), whole["items"]);
        assert_eq!(decode_list(cut_up(rng, &body)), whole["items"].as_array().map(Vec::len));
    });
}

#[derive(Deserialize)]
struct IndependentList {
    items: Option<Vec<IgnoredAny>>,
}

#[test]
fn mutated_lists_are_never_partial() {
    seeds(20_000, |rng| {
        let mut body = list(rng);
        mutate(rng, &mut body);
        let decoded = decode_list(cut_up(rng, &body));
        assert_eq!(decoded, decode_list(vec![Bytes::from(body.clone())]), "chunks make no difference");
        if let Some(count) = decoded {
            // Whatever counts as a list is one, whole, for an independent parser too.
            let whole: IndependentList = serde_json::from_str(std::str::from_utf8(&body).unwrap()).unwrap();
            assert_eq!(count, whole.items.map_or(0, |items| items.len()));
        }
    });
}

#[test]
fn mutated_watches_never_end_well_unless_they_are_well() {
    seeds(20_000, |rng| {
        let (mut body, _) = documents(rng);
        mutate(rng, &mut body);
        let decoded = decode_watch(cut_up(rng, &body));
        assert_eq!(decoded, decode_watch(vec![Bytes::from(body.clone())]), "chunks make no difference");
        if decoded.1 {
            let text = std::str::from_utf8(&body).unwrap();
            let parsed: Result<Vec<IgnoredAny>, _> =
                serde_json::Deserializer::from_str(text).into_iter().collect();
            assert_eq!(parsed.unwrap().len(), decoded.0);
        }
    });
}

/// What a decoder makes of the body of a watch: every item, and whether it ended well.
fn taken_from_watch(chunks: Vec<Bytes>) -> (Vec<String>, bool) {
    let (mut decoder, ingest, mut items) = (WatchDecoder::new(LIMIT, true), config_maps(), Vec::new());
    for chunk in to_the_end(chunks) {
        match chunk {
            Some(chunk) => decoder.push(chunk),
            None => _ = decoder.end_of_body(),
        }
        while let Some(item) = decoder.next(&ingest, &NothingKnown) {
            items.push(match item {
                Ok(WatchItem::Object { change, record }) => format!("{change:?} {}", whole(&record)),
                Ok(other) => format!("{other:?}"),
                Err(error) => error.to_string(),
            });
        }
    }
    (items, decoder.finish().is_ok())
}

fn taken_from_list(chunks: Vec<Bytes>) -> (Vec<String>, bool) {
    let (mut decoder, ingest, mut items) = (ListDecoder::new(LIMIT), config_maps(), Vec::new());
    for chunk in to_the_end(chunks) {
        match chunk {
            Some(chunk) => decoder.push(chunk),
            None => _ = decoder.end_of_body(),
        }
        while let Some(item) = decoder.next(&ingest, &NothingKnown) {
            items.push(match item {
                Ok(ListItem::Object(record)) => whole(&record),
                Ok(other) => format!("{other:?}"),
                Err(error) => error.to_string(),
            });
        }
    }
    (items, decoder.finish().is_ok())
}

/// All there is in a record.
fn whole(record: &Record) -> String {
    let body = record.with_json(|json| String::from_utf8(json.to_vec()).unwrap());
    format!("{:?} {body}", record.head)
}

/// An object as servers write it, with what else JSON allows now and then.
fn plain_object(rng: &mut Rng) -> String {
    let labels = object(rng, 0).into_iter().map(|(key, value)| (key, Value::from(value.to_string())));
    let metadata = json!({
        "name": format!("n{}", rng.u8(..9)), "namespace": "a", "uid": format!("u{}", rng.u8(..3)),
        "resourceVersion": rng.u8(..).to_string(), "labels": labels.collect::<Map<_, _>>(),
        "creationTimestamp": "2026-01-02T03:04:05Z", "managedFields": [value(rng, 2)], "finalizers": ["x", text(rng)],
        "ownerReferences": [{ "uid": "o", "name": text(rng), "controller": rng.bool() }], "x": value(rng, 2),
    });
    let object = json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": { "text": text(rng) } });
    String::from_utf8(print(rng, &object)).unwrap()
}

/// Read in one pass where it stands, or split off first because it never lies whole in a chunk: the same.
#[test]
fn one_pass_takes_in_what_splitting_first_does() {
    let bytes = |body: &[u8]| body.iter().map(|byte| Bytes::copy_from_slice(&[*byte])).collect::<Vec<_>>();
    seeds(6_000, |rng| {
        let types = ["ADDED", "MODIFIED", "DELETED"];
        let mut watch = Vec::new();
        for _ in 0..rng.usize(1..4) {
            let space = ["", "", "", " "][rng.usize(..4)];
            let event = format!(
                "{{\"type\":\"{}\",\"object\":{space}{}{space}}}\n",
                types[rng.usize(..3)],
                plain_object(rng)
            );
            watch.extend(event.into_bytes());
        }
        let items: Vec<String> = (0..rng.usize(1..4)).map(|_| plain_object(rng)).collect();
        let mut list =
            format!("{{\"metadata\":{{\"resourceVersion\":\"5\"}},\"items\":[{}]}}", items.join(","))
                .into_bytes();
        if rng.usize(..3) > 0 {
            mutate(rng, &mut watch);
            mutate(rng, &mut list);
        }
        assert_eq!(taken_from_watch(vec![Bytes::from(watch.clone())]), taken_from_watch(bytes(&watch)));
        assert_eq!(taken_from_list(vec![Bytes::from(list.clone())]), taken_from_list(bytes(&list)));
    });
}

/// The object with its members in the order in which servers write them, so that items begin alike.
fn ordered_object(rng: &mut Rng) -> String {
    let types = [r#""kind":"ConfigMap","apiVersion":"v1","#, ""][rng.usize(..2)];
    let object: Value = serde_json::from_str(&plain_object(rng)).unwrap();
    let data = json!({ "text": text(rng).repeat(rng.usize(..20)) });
    format!(r#"{{{types}"metadata":{},"data":{data}}}"#, object["metadata"])
}

/// Put together from several chunks, or whole within one: the same items, for each of them the same.
#[test]
fn what_is_gathered_is_what_was_sent() {
    seeds(6_000, |rng| {
        let mut watch = String::new();
        for _ in 0..rng.usize(1..8) {
            let event = match rng.usize(..8) {
                0 => r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}"#.to_owned(),
                1 => format!(r#"{{ "type":"ADDED","object":{}}}"#, plain_object(rng)),
                _ => format!(r#"{{"type":"ADDED","object":{}}}"#, ordered_object(rng)),
            };
            watch.push_str(&event);
            watch.push_str(["\n", "\n", "\n", "\r\n", "", " "][rng.usize(..6)]);
        }
        let items: Vec<String> = (0..rng.usize(1..8)).map(|_| ordered_object(rng)).collect();
        let metadata = r#""metadata":{"resourceVersion":"5"}"#;
        let items = format!(r#""items":[{}]"#, items.join([",", ",", ", "][rng.usize(..3)]));
        let end = ["\n", ""][rng.usize(..2)];
        let list = if rng.bool() {
            format!("{{{metadata},{items}}}{end}")
        } else {
            format!("{{{items},{metadata}}}{end}")
        };
        let (mut watch, mut list) = (watch.into_bytes(), list.into_bytes());
        if rng.usize(..3) == 0 {
            mutate(rng, &mut watch);
            mutate(rng, &mut list);
        }
        for _ in 0..3 {
            assert_eq!(
                taken_from_watch(vec![Bytes::from(watch.clone())]),
                taken_from_watch(cut_up(rng, &watch))
            );
            assert_eq!(taken_from_list(vec![Bytes::from(list.clone())]), taken_from_list(cut_up(rng, &list)));
        }
    });
}

#[test]
fn noise_is_survived() {
    seeds(5_000, |rng| {
        let noise: Vec<u8> = (0..rng.usize(..200)).map(|_| rng.u8(..)).collect();
        decode_list(cut_up(rng, &noise));
        decode_watch(cut_up(rng, &noise));
        let structure: Vec<u8> = (0..rng.usize(..200)).map(|_| b"{}[]\":,\\ \na1"[rng.usize(..12)]).collect();
        assert_eq!(decode_list(cut_up(rng, &structure)), decode_list(vec![Bytes::from(structure.clone())]));
        decode_watch(cut_up(rng, &structure));
    });
}

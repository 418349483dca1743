use super::*;

fn text(word: &str) -> Vec<u8> {
    format!("{{\"a\":\"{}\"}}", word.repeat(100)).into_bytes()
}

#[test]
fn packs_and_unpacks() {
    let json = text("hello ");
    let body = Body::pack(&json, None);
    assert!(matches!(body, Body::Packed(_)) && body.size() < json.len() / 2);
    assert_eq!(body.json_len(), json.len());
    body.with_json(|read| assert_eq!(read, json));
}

#[test]
fn what_does_not_shrink_stays_plain() {
    for json in [&b""[..], b"{}", br#"{"a":"x"}"#, &(0..255).collect::<Vec<u8>>()] {
        let body = Body::pack(json, None);
        assert!(matches!(body, Body::Plain(_)));
        body.with_json(|read| assert_eq!(read, json));
    }
}

#[test]
fn reading_nests() {
    let (a, b) = (Body::pack(&text("a"), None), Body::pack(&text("b"), None));
    for _ in 0..3 {
        a.with_json(|outer| {
            b.with_json(|inner| {
                assert!(!a.same_json(&b) && a.same_json(&Body::pack(outer, None)));
                assert_eq!((outer, inner), (&*text("a"), &*text("b")));
            });
        });
    }
    assert!(a.same_json(&Body::Plain(text("a").into())));
}

#[test]
fn a_panicking_reader_breaks_nothing() {
    let body = Body::pack(&text("a"), None);
    let read = std::panic::AssertUnwindSafe(|| body.with_json(|_| panic!("on purpose")));
    assert!(std::panic::catch_unwind(read).is_err());
    body.with_json(|read| assert_eq!(read, text("a")));
}

#[test]
fn damaged_bytes_read_as_nothing() {
    let Body::Packed(Frame { bytes, len, dictionary }) = Body::pack(&text("a"), None) else {
        panic!("packed")
    };
    let packed = |bytes, len| Body::Packed(Frame { bytes, len, dictionary: dictionary.clone() });
    let short = packed(bytes[..bytes.len() - 2].into(), len);
    short.with_json(|read| assert!(read.is_empty()));
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x55;
        packed(bytes, len).with_json(|read| {
            assert!(read.is_empty() || read.len() == text("a").len());
        });
    }
    packed(bytes, len - 1).with_json(|read| assert!(read.is_empty()));
}

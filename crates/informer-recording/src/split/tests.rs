use super::*;

/// What comes out of chunks: the shown text with `<n why>` in the place of what is hidden.
fn told(form: Form, chunks: &[&[u8]], complete: bool) -> String {
    let mut splitter = Splitter::new(form, About::default());
    let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| splitter.take(chunk)).collect();
    pieces.extend(splitter.end(complete));
    text(&pieces)
}

fn text(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Shown(bytes) => String::from_utf8(bytes.clone()).expect("text"),
        Piece::Hidden(hidden) => format!("<{} {:?}>", hidden.bytes, hidden.why),
    };
    pieces.iter().map(text).collect()
}

/// The body in chunks that end at random places.
fn chunks<'a>(body: &'a [u8], random: &mut fastrand::Rng) -> Vec<&'a [u8]> {
    let mut rest = body;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(random.usize(1..=rest.len().min(40)));
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

const EVENTS: &str = "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"data\":{\"a\":\"}{\\\"\"}}}\n\
    {\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"data\":{\"a\":\"hush\"}}}\n  {\"items\":[1,{}]}\n";

const LIST: &str = "{\"kind\":\"List\",\"metadata\":{\"items\":[{\"a\":1}]},\"items\": [ {\"kind\":\"Secret\",\"data\":{\"a\":\"hush\"}} ,\
    {\"b\":[\"]\"]},7, \"]\\\"\" ,null],\"token\":\"hush\",\"after\":{\"items\":[]}}\n";

#[test]
fn whole_documents_come_out_whatever_the_chunks() {
    let mut random = fastrand::Rng::with_seed(7);
    for (form, body) in [(Form::Events, EVENTS), (Form::List, LIST), (Form::Document, LIST)] {
        let expected =
            body.replace("hush", "xxxx").replace("\"data\":{\"a\":\"xxxx\"}", "\"data\":{\"a\":\"eHh4\"}");
        assert_eq!(told(form, &[body.as_bytes()], true), expected);
        for _ in 0..300 {
            assert_eq!(told(form, &chunks(body.as_bytes(), &mut random), true), expected);
        }
    }
}

#[test]
fn documents_are_given_out_with_the_chunk_that_ends_them() {
    let mut splitter = Splitter::new(Form::Events, About::default());
    assert_eq!(text(&splitter.take(b"{\"a\":")), "");
    assert_eq!(text(&splitter.take(b"1}\n{\"b\"")), "{\"a\":1}\n");
    assert_eq!(text(&splitter.take(b":2}")), "{\"b\":2}");
    assert_eq!(splitter.documents(), 2);
    let mut splitter = Splitter::new(Form::List, About::default());
    assert_eq!(text(&splitter.take(b"{\"items\":[{\"a\":1},{\"b\"")), "{\"items\":[{\"a\":1},");
    assert_eq!(text(&splitter.take(b":2}]")), "{\"b\":2}");
    assert_eq!(text(&splitter.take(b"}")), "]}");
    assert_eq!(splitter.documents(), 2);
}

#[test]
fn nothing_of_a_body_that_is_cut_stays_but_whole_documents_and_the_length() {
    for form in [Form::Events, Form::List, Form::Document] {
        let body = if form == Form::Events { EVENTS } else { LIST };
        for length in 0..body.len() {
            let told = told(form, &[&body.as_bytes()[..length]], false);
            assert!(!told.contains("hush"), "{form:?} at {length}: {told}");
        }
    }
    assert_eq!(told(Form::Events, &[b"{\"a\":1}\n{\"b\":"], false), "{\"a\":1}\n<5 Cut>");
    assert_eq!(told(Form::List, &[b"{\"items\":[1,{\"a\""], false), "{\"items\":[1,<4 Cut>");
    assert_eq!(told(Form::Document, &[b"{\"a\""], false), "<4 Cut>");
    assert_eq!(told(Form::Document, &[b"{\"a\""], true), "<4 NotJson>");
}

#[test]
fn nothing_of_what_is_not_json_stays_but_its_length() {
    for (form, body, expected) in [
        (Form::Events, "<html>hush</html>", "<17 NotJson>"),
        (Form::Events, "{\"a\":1} hush {}", "{\"a\":1} <7 NotJson>"),
        (Form::Events, "{\"a\":hush}{}", "<12 NotJson>"),
        (Form::List, "<html>hush</html>", "<17 NotJson>"),
        (Form::List, "{\"items\":[hush],\"a\":1}", "{\"items\":[<12 NotJson>"),
        (Form::List, "{\"items\":[{},,]}}hush", "{\"items\":[{},<8 NotJson>"),
        (Form::List, "{\"items\":[{},1]}}hush", "{\"items\":[{},1]}<5 NotJson>"),
        (Form::List, "]hush", "<5 NotJson>"),
        (Form::Document, "hush", "<4 NotJson>"),
    ] {
        assert_eq!(told(form, &[body.as_bytes()], true), expected, "{form:?} {body}");
        let split: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
        let told = told(form, &split, true);
        assert!(!told.contains("hush") && told.contains("NotJson"), "{form:?} {body}: {told}");
    }
}

#[test]
fn items_of_a_list_of_secrets_have_none_whatever_the_path() {
    let list =
        r#"{"kind":"SecretList","items":[{"metadata":{"name":"a"},"data":{"a":"hush"}}],"after":"hush"}"#;
    let expected =
        r#"{"kind":"SecretList","items":[{"metadata":{"name":"a"},"data":{"a":"eHh4"}}],"after":"xxxx"}"#;
    assert_eq!(told(Form::List, &[list.as_bytes()], true), expected);
    let bytes: Vec<&[u8]> = list.as_bytes().chunks(1).collect();
    assert_eq!(told(Form::List, &bytes, true), expected);
    let maps = list.replace("Secret", "ConfigMap");
    assert_eq!(told(Form::List, &[maps.as_bytes()], true), maps);
}

#[test]
fn a_document_that_is_too_large_is_left_out_alone() {
    let mut splitter = Splitter::with_limit(Form::Events, About::default(), 16);
    let large = format!("{{\"a\":\"{}\"}}", "s".repeat(40));
    let mut pieces = splitter.take(format!("{{\"a\":1}}{large}{{\"b\":2}}").as_bytes());
    pieces.extend(splitter.end(true));
    assert_eq!(text(&pieces), "{\"a\":1}<48 TooLarge>{\"b\":2}");
    let mut splitter = Splitter::with_limit(Form::Document, About::default(), 16);
    assert_eq!(text(&splitter.take(large.as_bytes())), "");
    assert_eq!(text(&splitter.end(true)), "<48 TooLarge>");
}

/// A replay of it is to fail in the same way at the same place.
#[test]
fn half_an_event_is_not_json_as_soon_as_others_follow_it() {
    let event = "{\"a\":{\"b\":[1,\"c\\\\\\\"\"]}}\n";
    for cut in 1..event.len() - 2 {
        let half = format!("{}\n", &event[..cut]);
        let told = told(
            Form::Events,
            &[event.as_bytes(), half.as_bytes(), event.as_bytes(), event.as_bytes()],
            false,
        );
        assert!(
            told.starts_with(event) && told.ends_with("NotJson>") && !told.contains("Cut"),
            "{half}: {told}"
        );
    }
}

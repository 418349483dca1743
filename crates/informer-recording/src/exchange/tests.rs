use super::*;

#[test]
fn what_was_hidden_has_a_stand_in_of_its_length() {
    for (why, bytes, expected) in [
        (Why::Cut, 0, "{"),
        (Why::Cut, 3, "{  "),
        (Why::NotJson, 0, ""),
        (Why::NotJson, 3, "xxx"),
        (Why::TooLarge, 1, "{}"),
        (Why::TooLarge, 4, "{}  "),
    ] {
        assert_eq!(stand_in(Hidden { bytes, why }), expected, "{bytes} {why:?}");
    }
    assert_eq!(stand_in(Hidden { bytes: u64::MAX, why: Why::Cut }).len(), 64 << 10);
}

#[test]
fn a_thousand_hidden_parts_are_in_memory_once() {
    for why in [Why::Cut, Why::NotJson, Why::TooLarge] {
        let hidden = |exchange| Record {
            exchange,
            at: Duration::ZERO,
            what: What::Hidden(Hidden { bytes: 1 << 30, why }),
        };
        let request =
            Record { exchange: 1, at: Duration::ZERO, what: What::Request(RequestLine::get("/api", None)) };
        let records: Vec<Record> = std::iter::once(request).chain((0..1_000).map(|_| hidden(1))).collect();
        let exchanges = Exchange::all(records);
        let mut places: Vec<*const u8> = exchanges[0].chunks().map(|(_, bytes)| bytes.as_ptr()).collect();
        assert_eq!(places.len(), 1_000);
        places.dedup();
        assert_eq!(places.len(), 1, "{why:?}");
    }
}

#[test]
fn a_list_is_a_question_only_if_it_is_for_one_name() {
    let is_of_objects = |query: &str| {
        let target = format!("/api/v1/pods?{query}");
        let line = RequestLine::get(&target, None);
        Exchange { line, target: Target::parse(&target), at: Duration::ZERO, steps: Vec::new() }
            .is_of_objects()
    };
    for question in [
        "fieldSelector=metadata.name%3Da",
        "fieldSelector=metadata.name=a",
        "fieldSelector=metadata.name%3D%3Da",
        "fieldSelector=spec.nodeName%3Db%2Cmetadata.name%3Da",
    ] {
        assert!(!is_of_objects(question), "{question}");
        assert!(is_of_objects(&format!("{question}&watch=true")), "{question}");
    }
    for list in [
        "",
        "fieldSelector=metadata.namespace%3Da",
        "fieldSelector=metadata.namespace%21%3Dkube-system",
        "fieldSelector=metadata.name%21%3Da",
        "fieldSelector=involvedObject.name%3Dmetadata.name",
    ] {
        assert!(is_of_objects(list), "{list}");
    }
}

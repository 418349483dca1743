use super::*;

fn all() -> Vec<Record> {
    let line = RequestLine {
        method: "GET".into(),
        target: "/api/v1/pods?watch=true".into(),
        form: Some(METADATA.into()),
        kind: Some(KindName::from(&KindInfo::new("", "v1", "Pod", "pods").namespaced(true))),
    };
    let head = Head { status: 429, content_type: Some("application/json".into()), retry_after: Some(3) };
    let all = [
        What::Began(Began { unix_millis: 7 }),
        What::Request(line),
        What::Answer(head),
        What::Chunk(Bytes::from_static(b"{\"a\":\n1}\n")),
        What::Hidden(Hidden { bytes: 12, why: Why::NotJson }),
        What::Failed("connection reset".into()),
        What::End,
        What::Left,
    ];
    let at = |(n, what)| Record { exchange: 9, at: Duration::from_micros(n), what };
    (0..).zip(all).map(at).collect()
}

#[test]
fn records_are_read_as_they_were_written() {
    let mut bytes = Vec::new();
    all().iter().for_each(|record| record.write(&mut bytes));
    let mut bytes = Bytes::from(bytes);
    let read: Result<Vec<_>, _> =
        std::iter::from_fn(|| (!bytes.is_empty()).then(|| Record::read(&mut bytes))).collect();
    assert_eq!(read.unwrap(), all());
}

#[test]
fn a_record_is_a_line_and_as_many_bytes_as_it_says() {
    let mut bytes = Vec::new();
    all()[3].write(&mut bytes);
    assert_eq!(String::from_utf8(bytes).unwrap(), "chunk 9 3 9\n{\"a\":\n1}\n\n");
}

#[test]
fn what_is_not_a_record_is_an_error() {
    for wrong in [
        "",
        "chunk",
        "chunk 1 2\n\n",
        "chunk 1 2 3 4\nabc\n",
        "chunk 1 2 x\n\n",
        "chunk 1 2 3\nab\n",
        "chunk 1 2 3\nabcd\n",
        "chunk 1 2 99999999999999999999\n\n",
        "chunk 1 2 18446744073709551615\n\n",
        "poem 1 2 0\n\n",
        "answer 1 2 2\n{}\n",
    ] {
        assert!(Record::read(&mut Bytes::from_static(wrong.as_bytes())).is_err(), "{wrong:?}");
    }
}

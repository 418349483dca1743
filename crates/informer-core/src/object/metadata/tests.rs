use super::*;

#[test]
fn reads_everything_in_any_order() {
    let json = br#"{"spec":{"kind":"x"},"metadata":{"finalizers":["a","b"],"uid":"u","labels":{"b":"2","a":"1\n"},
        "resourceVersion":"7","generation":3,"creationTimestamp":"1970-01-01T00:01:00Z",
        "deletionTimestamp":"1970-01-01T01:02:00+01:00","namespace":"ns","name":"n",
        "ownerReferences":[{"uid":"o","name":"rs","kind":"ReplicaSet","apiVersion":"apps/v1","controller":true,"x":[1]}]},
        "apiVersion":"v1","kind":"Pod"}"#;
    let meta = scan(json).unwrap();
    assert_eq!((&*meta.api_version, &*meta.kind), ("v1", "Pod"));
    assert_eq!((&*meta.namespace, &*meta.name, &*meta.uid), ("ns", "n", "u"));
    assert_eq!((&*meta.resource_version, meta.generation), ("7", Some(3)));
    assert_eq!((meta.created, meta.deleted), (Some(60), Some(120)));
    assert_eq!(meta.labels, [("a".into(), "1\n".into()), ("b".into(), "2".into())]);
    assert_eq!(meta.finalizers, ["a", "b"]);
    let owner = &meta.owners[0];
    assert_eq!(
        (&*owner.api_version, &*owner.kind, &*owner.name, &*owner.uid),
        ("apps/v1", "ReplicaSet", "rs", "o")
    );
    assert!(owner.controller && !owner.block_owner_deletion);
    assert!(meta.managed_fields.is_empty() && !meta.blank_type);
}

#[test]
fn null_is_missing_everywhere() {
    let json = br#"{"kind":null,"metadata":{"name":null,"namespace":null,"uid":null,"resourceVersion":null,
        "generation":null,"creationTimestamp":null,"deletionTimestamp":null,"labels":null,"ownerReferences":null,
        "finalizers":null,"managedFields":null}}"#;
    let meta = scan(json).unwrap();
    assert!(meta.name.is_empty() && meta.labels.is_empty() && meta.created.is_none());
    assert!(meta.blank_type);
    let inner = br#"{"metadata":{"labels":{"a":null},"ownerReferences":[null,{"controller":null}],"finalizers":[null]}}"#;
    let meta = scan(inner).unwrap();
    assert_eq!(meta.labels, [("a".into(), "".into())]);
    assert_eq!((meta.owners.len(), meta.finalizers.len()), (1, 0));
    assert!(scan(br#"{"metadata":null}"#).unwrap().name.is_empty());
    assert!(scan(b"{}").unwrap().name.is_empty());
}

#[test]
fn the_last_of_repeated_keys_wins() {
    let json = br#"{"kind":"A","kind":"B","metadata":{"name":"x","name":"y","labels":{"a":"1","a":"2"}}}"#;
    let meta = scan(json).unwrap();
    assert_eq!((&*meta.kind, &*meta.name), ("B", "y"));
    assert_eq!(meta.labels, [("a".into(), "2".into())]);
    let twice = br#"{"metadata":{"name":"x","uid":"1","managedFields":[1]},"metadata":{"name":"y","managedFields":[2]}}"#;
    let meta = scan(twice).unwrap();
    assert_eq!((&*meta.name, &*meta.uid), ("y", ""));
    assert_eq!(meta.managed_fields.len(), 2, "all of them are to be cut");
}

#[test]
fn tells_where_managed_fields_stand() {
    let json = br#"{"metadata":{"managedFields": [ {"a":1} ] ,"name":"x"}}"#;
    let meta = scan(json).unwrap();
    assert_eq!(&json[meta.managed_fields[0].clone()], br#""managedFields": [ {"a":1} ]"#);
}

#[test]
fn odd_json_is_not_broken_json() {
    let odd = [
        "null",
        "[]",
        "7",
        r#""text""#,
        r#"{"metadata":[]}"#,
        r#"{"metadata":{"name":7}}"#,
        r#"{"metadata":{"labels":{"a":1}}}"#,
        r#"{"metadata":{"labels":[]}}"#,
        r#"{"kind":{}}"#,
        r#"{"metadata":{"creationTimestamp":"yesterday"}}"#,
        r#"{"metadata":{"generation":1.5}}"#,
        r#"{"metadata":{"generation":1e999}}"#,
        r#"{"metadata":{"name":"\ud800"}}"#,
        r#"{"metadata":{"finalizers":"x"}}"#,
        r#"{"metadata":{"ownerReferences":[{"controller":"yes"}]}}"#,
    ];
    for json in odd {
        assert!(matches!(scan(json.as_bytes()), Err(ScanError::Odd(_))), "{json}");
    }
    let broken: [&[u8]; 9] = [
        b"",
        b"{",
        b"{}x",
        b"{} {}",
        br#"{"metadata":{"name":7},}"#,
        br#"{"a":tru}"#,
        b"{\"a\":\"\xff\"}",
        br#"{"metadata":[],"a":"#,
        b"{\"a\":\"\n\"}",
    ];
    for json in broken {
        assert!(matches!(scan(json), Err(ScanError::NotJson(_))), "{}", String::from_utf8_lossy(json));
    }
    // Depth is no reason to refuse.
    let deep =
        format!("{{\"metadata\":{{\"name\":\"x\"}},\"a\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(scan(deep.as_bytes()).unwrap().name, "x");
}

#[test]
fn rough_key_survives_odd_neighbours() {
    let json = br#"{"metadata":{"labels":7,"name":"n","namespace":"ns"},"kind":[]}"#;
    let rough = |namespace: &str| RoughKey {
        namespace: namespace.to_owned(),
        name: "n".to_owned(),
        resource_version: String::new(),
    };
    assert_eq!(rough_key(json), Some(rough("ns")));
    let with_version = br#"{"metadata":{"name":"n","labels":7,"resourceVersion":"5"}}"#;
    assert_eq!(rough_key(with_version).map(|key| key.resource_version).as_deref(), Some("5"));
    assert_eq!(rough_key(br#"{"metadata":{"name":7}}"#), None);
    assert_eq!(rough_key(br#"{"metadata":{"name":"n","namespace":7}}"#), Some(rough("")));
    assert_eq!(rough_key(b"[]"), None);
}

#[test]
fn what_is_odd_is_told_without_quoting_it() {
    for json in [
        r#"{"metadata":"s3cret"}"#,
        r#"{"metadata":{"name":{"s3cret":1}}}"#,
        r#"{"metadata":{"creationTimestamp":"s3cret"}}"#,
        r#"{"metadata":{"labels":{"s3cret":7}}}"#,
    ] {
        let Err(ScanError::Odd(message)) = scan(json.as_bytes()) else { panic!("odd") };
        assert!(!message.contains("s3cret"), "{message}");
    }
    let error = serde_json::from_str::<u8>(r#""s3cret""#).unwrap_err();
    assert!(error.to_string().contains("s3cret") && !json::position(&error).contains("s3cret"));
}

#[test]
fn an_object_at_the_beginning_of_bytes_ends_where_it_ends() {
    let json = br#"{"metadata":{"name":"a","labels":{"x":"}"}},"spec":[{"y":"\\"}]}"#;
    for behind in [&b""[..], b",{\"metadata\":{", b"]}", b"\xff", b" \n"] {
        let bytes = [b" ", &json[..], behind].concat();
        let (metadata, end) = scan_first(&bytes).unwrap();
        assert_eq!((&*metadata.name, end), ("a", json.len() + 1));
    }
    for length in 0..json.len() {
        assert!(scan_first(&json[..length]).is_err(), "{length}");
    }
    assert!(matches!(scan_first(b"{\"a\":\"\xff\"},"), Err(ScanStop::Broken)), "not UTF-8");
}

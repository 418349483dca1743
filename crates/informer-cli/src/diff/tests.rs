use super::*;

fn content(objects: &[(&str, i64)]) -> Content {
    let object = |(key, value): &(&str, i64)| ((*key).to_owned(), json!({ "spec": { "n": value } }));
    objects.iter().map(object).collect()
}

#[test]
fn each_difference_is_named() {
    let (cache, server) =
        (content(&[("a/x", 1), ("a/y", 1), ("a/z", 1)]), content(&[("a/x", 1), ("a/y", 2), ("b/w", 1)]));
    let found = compare(&cache, &server, false);
    let text: String = found.iter().map(as_text).collect();
    assert_eq!(text, "a/y: spec.n 1 → 2\nb/w: not in the cache\na/z: not on the server\n");
    let kind = KindInfo::new("example.com", "v1", "Widget", "widgets");
    let json = as_json(&kind, server.len(), &found);
    assert_eq!(json["equal"], false);
    assert_eq!(json["notInCache"], json!(["b/w"]));
    assert_eq!(json["notOnServer"], json!(["a/z"]));
    assert_eq!(json["different"][0]["changes"][0], json!({ "path": "spec.n", "cache": 1, "server": 2 }));
}

#[test]
fn values_of_secrets_are_not_in_a_difference() {
    let secret = |value: &str| {
        let annotations = json!({ "kubectl.kubernetes.io/last-applied-configuration": value });
        let both = json!({ "metadata": { "annotations": annotations }, "stringData": { "a": value } });
        Content::from([("a/x".to_owned(), both)])
    };
    let bare = Content::from([("a/x".to_owned(), json!({ "metadata": {} }))]);
    for (cache, server) in
        [(&bare, &secret("hunter2")), (&secret("hunter2"), &bare), (&secret("hunter2"), &secret("hunter3"))]
    {
        let found = compare(cache, server, true);
        let kind = KindInfo::new("", "v1", "Secret", "secrets");
        let told = format!("{}{}{found:?}", as_json(&kind, 1, &found), as_text(&found[0]));
        assert!(told.contains("annotations") && !told.contains("hunter"), "{told}");
    }
}

#[test]
fn equal_is_equal() {
    let both = content(&[("a/x", 1)]);
    assert_eq!(compare(&both, &both, false), []);
}

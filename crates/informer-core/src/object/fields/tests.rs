use informer_wire::json::{find, without};

use super::*;

fn drop(json: &str, paths: &[&str]) -> String {
    let paths: Vec<FieldPath> = paths.iter().map(|path| path.parse().unwrap()).collect();
    let mut parts = Vec::new();
    find(json.as_bytes(), paths.iter().map(FieldPath::steps), &mut parts);
    String::from_utf8(without(json.as_bytes(), &mut parts)).unwrap()
}

#[test]
fn drops_what_paths_name() {
    let pod = r#"{"spec":{"containers":[{"name":"a","env":[1,{"x":"]"}]},{"env":[]},{"name":"c"}],"x":1},"status":{"a":[]}}"#;
    assert_eq!(
        drop(pod, &["spec.containers[*].env", "status"]),
        r#"{"spec":{"containers":[{"name":"a"},{},{"name":"c"}],"x":1}}"#
    );
    assert_eq!(drop(pod, &["spec.containers[*]"]), r#"{"spec":{"containers":[],"x":1},"status":{"a":[]}}"#);
    assert_eq!(drop(pod, &["spec", "spec.x", "status.a"]), r#"{"status":{}}"#);
    assert_eq!(drop(pod, &["spec.missing.x", "status[*].a", "spec.containers.env", "data"]), pod);
}

#[test]
fn quoted_names() {
    let json = r#"{"metadata":{"annotations":{"a.b/c":"1","d":"2","say \"hi\"":"3","\u0065":"4"}}}"#;
    let one = r#"metadata.annotations["a.b/c"]"#;
    assert!(!drop(json, &[one]).contains("a.b/c"));
    assert!(!drop(json, &[r#"metadata.annotations["say \"hi\""]"#]).contains("hi"));
    assert!(
        !drop(json, &["metadata.annotations.e"]).contains("0065"),
        "keys are compared after their escapes"
    );
    assert_eq!(drop(json, &["metadata.annotations"]), r#"{"metadata":{}}"#);
    assert_eq!(r#"["data"]["tls.key"]"#.parse::<FieldPath>().unwrap().to_string(), r#"data["tls.key"]"#);
}

#[test]
fn paths_print_as_they_parse() {
    for text in
        ["status", "spec.containers[*].env", r#"metadata.annotations["a.b/c"]"#, "a[*][*].b", r#"a[""]"#]
    {
        assert_eq!(text.parse::<FieldPath>().unwrap().to_string(), text);
    }
}

#[test]
fn parse_errors_say_what_is_wrong() {
    let cases = [
        ("", "no name"),
        ("a.", "no name"),
        ("a..b", "no name"),
        ("a[0]", "only names and [*]"),
        ("a[?(@.b)]", "only names and [*]"),
        ("a[\"b", "must hold *"),
        ("a[*", "must hold *"),
        ("a[*]b", "dot"),
        ("a b", "must be written in"),
        ("*", "every element of a list"),
        ("data.*", "every element of a list"),
        ("[*]", "an object is no list"),
        ("a[\"\\x\"]", "must hold *"),
        ("a[\"b\"x]", "must hold *"),
        ("kind", "cannot be dropped"),
        ("metadata", "cannot be dropped"),
        ("metadata.name", "cannot be dropped"),
        ("metadata.uid", "cannot be dropped"),
        ("metadata[\"namespace\"]", "cannot be dropped"),
        ("metadata.resourceVersion.x", "cannot be dropped"),
    ];
    for (text, expected) in cases {
        let error = text.parse::<FieldPath>().unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn knows_which_paths_change_the_head() {
    for (path, touches) in [
        ("metadata.labels", true),
        ("metadata.annotations.x", false),
        ("metadata[*]", true),
        ("spec.metadata", false),
    ] {
        assert_eq!(path.parse::<FieldPath>().unwrap().touches_head(), touches, "{path}");
    }
}

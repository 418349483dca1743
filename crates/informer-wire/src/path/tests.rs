use serde_json::json;

use super::*;

fn found(path: &str, document: &Value) -> Vec<Value> {
    Path::parse(path).unwrap().find(document).into_iter().cloned().collect()
}

#[test]
fn a_path_leads_to_values_in_the_order_of_the_document() {
    let pod = json!({
        "metadata": { "annotations": { "a.b/c": "1", "$x": 2 } },
        "spec": { "args": ["-v", "-x"], "containers": [{ "name": "a", "n": 1 }, { "name": "b", "on": true }, { "n": null }] },
        "status": { "conditions": [{ "type": "Ready", "status": "True" }, { "type": "Other", "status": "False" }] },
    });
    for (path, values) in [
        ("spec.containers[*].name", json!(["a", "b"])),
        (".spec.containers[*].name", json!(["a", "b"])),
        ("{.spec.containers[0].name}", json!(["a"])),
        ("$.spec.containers[-2].name", json!(["b"])),
        ("@.spec.containers[7].name", json!([])),
        ("spec.containers[-9]", json!([])),
        ("spec.containers.name", json!([])),
        ("spec.containers[*].name.x", json!([])),
        (r#"metadata.annotations["a.b/c"]"#, json!(["1"])),
        ("metadata.annotations['a.b/c']", json!(["1"])),
        (r"{.metadata.annotations['a\.b/c']}", json!(["1"])),
        (r"metadata.annotations.a\.b/c", json!(["1"])),
        ("metadata.annotations.$x", json!([2])),
        (r#".status.conditions[?(@.type=="Ready")].status"#, json!(["True"])),
        (r#".status.conditions[?( @.type != 'Ready' )].status"#, json!(["False"])),
        ("spec.containers[?(@.n==1)].name", json!(["a"])),
        ("spec.containers[?(@.on==true)].name", json!(["b"])),
        ("spec.containers[?(@.n)].name", json!(["a"])),
        (r#"spec.args[?(@=="-v")]"#, json!(["-v"])),
        ("spec.containers[?(@.n!=1)].n", json!([null])),
        ("spec[?(@.n)]", json!([])),
    ] {
        assert_eq!(Value::from(found(path, &pod)), values, "{path}");
    }
    assert_eq!(found("[0]", &json!([1])), [json!(1)]);
}

#[test]
fn numbers_are_the_same_in_every_notation() {
    let document =
        json!({ "a": [{ "n": 1, "s": "int" }, { "n": 1.0, "s": "float" }, { "n": 1.5, "s": "more" }] });
    for (path, values) in [
        ("a[?(@.n==1)].s", json!(["int", "float"])),
        ("a[?(@.n==1.0)].s", json!(["int", "float"])),
        ("a[?(@.n==1e0)].s", json!(["int", "float"])),
        ("a[?(@.n!=1)].s", json!(["more"])),
        ("a[?(@.n==\"1\")].s", json!([])),
    ] {
        assert_eq!(Value::from(found(path, &document)), values, "{path}");
    }
    let large = json!({ "a": [9_007_199_254_740_993_u64] });
    assert_eq!(found("a[?(@==9007199254740992)]", &large), [Value::Null; 0], "it has a neighbour");
}

#[test]
fn paths_print_as_they_parse() {
    for text in [
        "status",
        "spec.containers[*].env",
        r#"metadata.annotations["a.b/c"]"#,
        "a[*][*].b",
        "a[-1]",
        r#"a[""]"#,
        r#"a[?(@.b=="c")].d"#,
        r#"a[?(@["x.y"]!=1)]"#,
        "a[?(@.b)]",
        r#"a[?(@=="b")]"#,
    ] {
        assert_eq!(Path::parse(text).unwrap().to_string(), text);
    }
    for (text, printed) in [(".a.b", "a.b"), ("{ .a }", "a"), (r#"["data"]["x"]"#, "data.x")] {
        assert_eq!(Path::parse(text).unwrap().to_string(), printed);
    }
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    for (text, expected) in [
        ("", "no name"),
        ("{}", "no name"),
        ("$", "no name"),
        ("a.", "no name at 2"),
        ("a..b", "no name at 2; a path has all its names"),
        ("{..image}", "`..` cannot stand for some"),
        ("a.*", "the * at 2: [*] means every element"),
        ("a[1:3]", "must hold *, a number"),
        ("a[0,2]", "must hold *, a number"),
        ("a['b','c']", "must hold *, a number"),
        ("{.a}{.b}", "'{' at 4: braces stand around one whole path"),
        ("{.a", "a brace { is not closed"),
        ("{.a b}", "'b' at 4"),
        ("a[?(@.b<3)]", "one comparison, with == or !="),
        ("a[?(@.b==\"c\" && @.d)]", "one comparison, with == or !="),
        ("a[x]", "the bracket at 2 must hold *"),
        ("a[1", "must hold *"),
        ("a[\"b", "must hold *"),
        ("a['b", "must hold *"),
        ("a[*", "must hold *"),
        ("a[*]b", "dot"),
        ("a b", "' ' at 1 must be written in"),
        ("a[\"\\x\"]", "must hold *"),
        ("a[\"b\"x]", "must hold *"),
        ("a[?(b)]", "begins with @"),
        ("a[?(@.b==)]", "a text in quotes"),
        ("a[?(@.b==[1])]", "a text in quotes"),
        ("a[?(@.b==\"c\"]", "ends with )]"),
        ("a}", "'}' at 1"),
    ] {
        let error = Path::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn a_text_may_begin_with_a_path() {
    for (text, path, rest) in [
        (".status.phase=Running", "status.phase", "=Running"),
        ("{.status.phase}=a}b", "status.phase", "=a}b"),
        (r#"a[?(@.b=="c")].d=e=f"#, r#"a[?(@.b=="c")].d"#, "=e=f"),
        ("{ a.b } x", "a.b", " x"),
        ("a.b", "a.b", ""),
    ] {
        let (parsed, after) = Path::parse_prefix(text).unwrap();
        assert_eq!((parsed.to_string().as_str(), after), (path, rest), "{text}");
    }
    for text in ["", "=a", "{.a", "{}=a", "a[=b"] {
        assert!(Path::parse_prefix(text).is_err(), "{text}");
    }
}

#[test]
fn any_text_is_a_path_or_an_error() {
    let mut random = fastrand::Rng::with_seed(3);
    let pieces = [
        "a", ".", "[", "]", "*", "\"", "'", "?(", ")", "@", "$", "==", "!=", "1", "-", "{", "}", "\\", "é",
        " ",
    ];
    for _ in 0..20_000 {
        let length = random.usize(..9);
        let text: String = (0..length).map(|_| pieces[random.usize(..pieces.len())]).collect();
        if let Ok(path) = Path::parse(&text) {
            let printed = path.to_string();
            assert_eq!(Path::parse(&printed).as_ref(), Ok(&path), "{text:?} prints as {printed:?}");
            path.find(&json!({ "a": [{ "a": 1 }, ["1"]] }));
        }
    }
}

/// Those to fields that informers drop or index by.
#[test]
fn paths_lead_through_names_lists_and_quoted_names() {
    for path in ["spec", "spec.nodeName", "spec.hosts[*].name", r#"metadata.labels["a.b/\"c"]"#] {
        assert_eq!(Path::parse_plain(path), Path::parse(path), "{path}");
    }
    assert!(Path::parse_plain("[*].x").unwrap_err().to_string().contains("an object is no list"));
    for path in ["spec[0]", "spec[-1].a", "spec[?(@.a)]"] {
        let error = Path::parse_plain(path).unwrap_err().to_string();
        assert!(error.contains("only names and [*] can stand here"), "{path}: {error}");
    }
    assert_eq!(Path::parse_plain("spec."), Path::parse("spec."));
}

#[test]
fn a_text_of_a_stranger_does_not_exhaust_the_stack() {
    for nested in ["a[?(@", "a[?(@.b["] {
        let error = Path::parse(&nested.repeat(100_000)).unwrap_err().to_string();
        assert!(error.len() > 10, "{error:.100}");
    }
    let deep = format!("a{}.b", "[0]".repeat(100_000));
    assert!(Path::parse(&deep).unwrap().find(&json!({ "a": [] })).is_empty());
}

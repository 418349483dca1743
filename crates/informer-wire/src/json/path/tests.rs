use super::*;

fn name(name: &str) -> Step {
    Step::Name(name.to_owned())
}

fn found<'a>(json: &'a str, paths: &[&[Step]]) -> Vec<&'a str> {
    let mut found = Vec::new();
    find(json.as_bytes(), paths.iter().copied(), &mut found);
    found.into_iter().map(|part| &json[part]).collect()
}

#[test]
fn members_are_found_with_their_keys_and_elements_without() {
    let json = r#" {"a" : [1, {"b":2}], "c":{"b":[3]}, "\u0061":4} "#;
    assert_eq!(found(json, &[&[name("a")]]), [r#""a" : [1, {"b":2}]"#, r#""\u0061":4"#]);
    assert_eq!(found(json, &[&[name("a"), Step::Each]]), ["1", r#"{"b":2}"#]);
    assert_eq!(
        found(json, &[&[name("a"), Step::Each, name("b")], &[name("c")]]),
        [r#""b":2"#, r#""c":{"b":[3]}"#]
    );
    assert_eq!(found(json, &[&[name("c"), Step::Each], &[name("b")], &[]]), [""; 0]);
}

#[test]
fn the_search_ends_where_the_document_is_broken() {
    for json in [r#"{"a":1,"b"2,"a":3}"#, r#"{"a":1,"b":[},"a":3}"#, r#"{"a":1"#, r#"{"a":1] "a":3"#] {
        assert_eq!(found(json, &[&[name("a")]]), [r#""a":1"#], "{json}");
    }
    assert_eq!(found("", &[&[name("a")]]), [""; 0]);
}

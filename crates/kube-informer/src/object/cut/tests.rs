use super::*;

fn rest(json: &str, values: &[&str]) -> String {
    let mut parts: Vec<_> = values
        .iter()
        .map(|value| {
            let start = json.find(value).unwrap();
            member(json.as_bytes(), &(start..start + value.len())).unwrap()
        })
        .collect();
    String::from_utf8(without(json.as_bytes(), &mut parts)).unwrap()
}

#[test]
fn takes_exactly_one_comma() {
    assert_eq!(rest(r#"{"m":[1]}"#, &["[1]"]), "{}");
    assert_eq!(rest(r#"{"m":[1],"a":2}"#, &["[1]"]), r#"{"a":2}"#);
    assert_eq!(rest(r#"{"a":2,"m":[1],"b":3}"#, &["[1]"]), r#"{"a":2,"b":3}"#);
    assert_eq!(rest(r#"{"a":2,"m":[1]}"#, &["[1]"]), r#"{"a":2}"#);
    assert_eq!(rest(r#"{"a":2,"b":3,"c":4}"#, &["3", "4"]), r#"{"a":2}"#);
    assert_eq!(rest(r#"{"a":2,"b":3,"c":4}"#, &["4", "2"]), r#"{"b":3}"#);
    assert_eq!(rest(r#"{"a":2,"b":3,"c":4}"#, &["2", "3", "4"]), "{}");
    assert_eq!(rest(r#"{"a":{"b":3},"c":4}"#, &["3", r#"{"b":3}"#]), r#"{"c":4}"#);
}

#[test]
fn pretty_documents() {
    let pretty = "{\n  \"a\" : 2 ,\n  \"m\" : [1] ,\n  \"b\" : 3\n}";
    for (cut, left) in [("[1]", ["a", "b"]), ("2", ["m", "b"]), ("3", ["a", "m"])] {
        let left_over = rest(pretty, &[cut]);
        let value: serde_json::Map<_, _> =
            serde_json::from_str(&left_over).unwrap_or_else(|e| panic!("{e}: {left_over}"));
        assert!(value.len() == 2 && left.iter().all(|key| value.contains_key(*key)), "{left_over}");
    }
    assert!(serde_json::from_str::<serde_json::Value>(&rest("{ \"m\" : 1 }", &["1"])).is_ok());
}

#[test]
fn keys_with_quotes_and_backslashes() {
    assert_eq!(rest(r#"{"x":"\\","a\"b\\":[1],"c":2}"#, &["[1]"]), r#"{"x":"\\","c":2}"#);
    assert_eq!(rest(r#"{"\"":[1]}"#, &["[1]"]), "{}");
}

#[test]
fn nonsense_is_left_alone() {
    assert_eq!(member(b"[1]", &(1..2)), None);
    assert_eq!(member(b":1", &(1..2)), None);
    assert_eq!(member(b"\":1", &(2..3)), None);
    assert_eq!(member(b"", &(5..7)), None);
    assert_eq!(without(b"{}", &mut [5..9, 7..8]), b"{}");
}

use super::*;
use crate::json::Members;

/// The member with this value, at whatever depth.
fn member(json: &[u8], at: usize, value: &[u8]) -> Option<Range<usize>> {
    let mut members = Members::of(json, at)?;
    while members.next()?.is_some() {
        if let Some(inner) = member(json, members.at(), value) {
            return Some(inner);
        }
        if members.value()? == value {
            return Some(members.start()..members.at());
        }
    }
    None
}

fn rest(json: &str, values: &[&str]) -> String {
    let mut parts: Vec<_> =
        values.iter().map(|value| member(json.as_bytes(), 0, value.as_bytes()).unwrap()).collect();
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
    for nonsense in [&b"[1]"[..], b":1", b"\":1", b""] {
        assert!(Members::of_object(nonsense, 0).is_none());
        assert_eq!(without(nonsense, &mut [5..9, 7..8]), nonsense);
    }
    assert_eq!(without(b"{}", &mut [5..9, 7..8]), b"{}");
}

#[test]
fn members_are_added_behind_the_brace() {
    let edited = |json: &str, cut: &[&str]| {
        let mut parts: Vec<_> = cut
            .iter()
            .map(|value| member(json.as_bytes(), json.find('{').unwrap(), value.as_bytes()).unwrap())
            .collect();
        let mut kept = Vec::new();
        edit(json.as_bytes(), &[br#""k":1,"#, br#""l":2,"#], &mut parts, &mut kept);
        String::from_utf8(kept).unwrap()
    };
    assert_eq!(edited(r#"{"a":3}"#, &[]), r#"{"k":1,"l":2,"a":3}"#);
    assert_eq!(edited(r#" { "a":3,"b":4}"#, &["3"]), r#" {"k":1,"l":2, "b":4}"#);
    assert_eq!(edited(r#"{"a":3,"b":4}"#, &["3", "4"]), r#"{"k":1,"l":2}"#);
}

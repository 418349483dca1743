//! Cuts members out of a JSON document without decoding it.

use std::ops::Range;

use crate::object::walk::{is_space, skip_space};

/// Appends a document from a place on without some parts of it, each with exactly one of the commas beside it.
///
/// A part is a member of an object (key and value) or an element of an array, as [`member`] and
/// [`crate::object::fields`] find them. Parts may come in any order and contain each other. The document must be JSON
/// for the result to be JSON; whatever it is, there is no panic.
pub(crate) fn cut(json: &[u8], from: usize, parts: &mut [Range<usize>], kept: &mut Vec<u8>) {
    // The larger of two parts that begin together comes first, so that the smaller one is skipped.
    parts.sort_unstable_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut place = from;
    for part in parts.iter() {
        if part.start < place || part.end < part.start || part.end > json.len() {
            continue;
        }
        kept.extend_from_slice(json.get(place..part.start).unwrap_or_default());
        let after = skip_space(json, part.end);
        if json.get(after) == Some(&b',') {
            place = skip_space(json, after + 1);
        } else {
            // The last of its parent: the comma before it goes. It is looked for in what was kept, because members
            // before this one may have been cut as well.
            place = part.end;
            let end = kept.iter().rposition(|byte| !is_space(*byte));
            if let Some(end) = end
                && kept.get(end) == Some(&b',')
            {
                kept.truncate(end);
            }
        }
    }
    kept.extend_from_slice(json.get(place..).unwrap_or_default());
}

/// A whole document without some parts of it.
#[cfg(test)]
pub(crate) fn without(json: &[u8], parts: &mut [Range<usize>]) -> Vec<u8> {
    let mut kept = Vec::new();
    cut(json, 0, parts, &mut kept);
    kept
}

/// The member whose value stands at `value`: from the opening quote of its key to the end of its value.
pub(crate) fn member(json: &[u8], value: &Range<usize>) -> Option<Range<usize>> {
    let before = json.get(..value.start)?;
    let colon = before.iter().rposition(|byte| !is_space(*byte))?;
    let close = before.get(..colon)?.iter().rposition(|byte| !is_space(*byte))?;
    if before.get(colon) != Some(&b':') || before.get(close) != Some(&b'"') {
        return None;
    }
    // Within a text every quote has a backslash before it; before the opening one stands a brace, a comma or space.
    let mut open = close;
    loop {
        open = before.get(..open)?.iter().rposition(|byte| *byte == b'"')?;
        if open == 0 || before.get(open - 1) != Some(&b'\\') {
            return Some(open..value.end);
        }
    }
}

#[cfg(test)]
mod tests {
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
}

use serde_json::json;

use super::*;

fn diff(old: &Value, new: &Value) -> Vec<String> {
    unified(old, new).unwrap()
}

#[test]
fn a_changed_line_comes_with_three_around_it() {
    let of = |image: &str, version: &str| {
        json!({ "a": 1, "b": 2, "c": 3, "d": 4, "image": image, "j": 5, "k": 6, "l": 7, "m": 8,
            "metadata": { "resourceVersion": version } })
    };
    let wanted =
        ["@@ -2,7 +2,7 @@", " b: 2", " c: 3", " d: 4", "-image: x", "+image: z", " j: 5", " k: 6", " l: 7"];
    assert_eq!(diff(&of("x", "1"), &of("z", "2")), wanted);
    assert!(diff(&of("x", "1"), &of("x", "2")).is_empty(), "the version alone is no change");
}

#[test]
fn changes_that_are_far_apart_have_hunks_of_their_own() {
    let list = |first: &str, last: &str| {
        let mut items: Vec<_> = (0..20).map(|n| n.to_string()).collect();
        (items[0], items[19]) = (first.to_owned(), last.to_owned());
        json!({ "items": items })
    };
    let found = diff(&list("a", "b"), &list("c", "d"));
    assert_eq!(found.iter().filter(|line| line.starts_with("@@")).count(), 2, "{found:?}");
    let found = diff(&json!({ "a": [1, 2, 3] }), &json!({ "a": [1, 3, 4] }));
    let changed: Vec<_> = found.iter().filter(|line| line.starts_with(['+', '-'])).collect();
    assert_eq!(changed, ["-- 2", "+- 4"], "{found:?}");
}

/// The lines that are not added are the old text, those that are not removed the new one.
#[test]
fn any_two_texts_can_be_had_back_from_their_difference() {
    let mut state = 7_u64;
    let mut number = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..500 {
        let mut text = |length: u64| -> Vec<&str> {
            (0..number(length)).map(|_| ["a", "b", "c", "d"][usize::try_from(number(4)).unwrap()]).collect()
        };
        let (old, new) = (text(12), text(12));
        let lines = compare(&old, &new);
        let is = |wanted: fn(&Line<'_>) -> bool| -> Vec<&str> {
            let text = |line: &Line<'_>| match *line {
                Line::Same(text) | Line::Removed(text) | Line::Added(text) => text.to_owned(),
            };
            lines
                .iter()
                .filter(|line| wanted(line))
                .map(text)
                .map(|text| ["a", "b", "c", "d"][usize::from(text.as_bytes()[0] - b'a')])
                .collect()
        };
        assert_eq!(is(|line| !matches!(line, Line::Added(_))), old);
        assert_eq!(is(|line| !matches!(line, Line::Removed(_))), new);
    }
}

#[test]
fn many_changed_lines_and_long_ones_cost_little() {
    let list = |from: usize| json!({ "items": (from..from + 20_000).collect::<Vec<_>>() });
    assert!(diff(&list(0), &list(50_000)).len() > 40_000);
    let long = |end: &str| json!({ "a": "x".repeat(1 << 20) + end });
    let found = diff(&long("1"), &long("2"));
    assert!(found.iter().all(|line| line.len() < 400), "long lines are cut");
    let cut: Vec<_> = found.iter().filter(|line| line.ends_with("characters)")).collect();
    assert_eq!(cut.len(), 2, "{found:?}");
}

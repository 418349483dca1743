use serde_json::{Map, Value};

use super::*;
use crate::testing::benchmark_pod;

/// Any value. Strings have quotes, brackets and backslashes, and are longer than a block at times.
fn value(random: &mut fastrand::Rng, depth: u32) -> Value {
    match random.u8(..if depth == 0 { 3 } else { 6 }) {
        0 => Value::from(random.i32(..)),
        1 => Value::Bool(random.bool()),
        2 => Value::from(text(random)),
        3 | 4 => {
            let members = (0..random.u8(..6)).map(|_| (text(random), value(random, depth - 1)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        _ => Value::Array((0..random.u8(..6)).map(|_| value(random, depth - 1)).collect()),
    }
}

fn text(random: &mut fastrand::Rng) -> String {
    let length = random.choice([0, 1, 7, 30, 200]).unwrap();
    let characters = ['a', 'y', '"', '\\', '{', '}', '[', ']', ',', 'ä', '\n', '{'];
    (0..random.usize(..=length)).map(|_| random.choice(characters).unwrap()).collect()
}

#[test]
fn it_ends_where_reading_token_by_token_ends() {
    let mut random = fastrand::Rng::with_seed(1);
    for round in 0..3_000 {
        let value = value(&mut random, 4);
        let json =
            if random.bool() { value.to_string() } else { serde_json::to_string_pretty(&value).unwrap() };
        // What is before and behind it does not matter.
        let document =
            format!("{}{json}{}", " ".repeat(random.usize(..80)), ",\"}]".repeat(random.usize(..40)));
        let start = document.len() - document.trim_start().len();
        let end = start + json.len();
        assert_eq!(skip_value(document.as_bytes(), start), Some(end), "round {round}: {document}");
        // What does not end has no end, and nothing panics.
        if value.is_object() || value.is_array() {
            let cut = random.usize(start..end);
            assert_eq!(skip_value(&document.as_bytes()[..cut], start), None, "round {round}: {document}");
        }
    }
}

/// Ends, quotes and escapes at every place within a block and across its border.
#[test]
fn borders_of_blocks_do_not_matter() {
    for letters in 0..200 {
        for backslashes in 0..4 {
            let text = format!("{}{}\"}}]", "a".repeat(letters), "\\".repeat(backslashes));
            let json = serde_json::json!([text, { "x": [text] }]).to_string();
            let document = format!("{json}]}}\"");
            assert_eq!(skip_value(document.as_bytes(), 0), Some(json.len()), "{document}");
        }
    }
}

#[test]
fn every_value_of_a_pod_ends_where_it_does() {
    let pod = benchmark_pod(7);
    for start in (0..pod.len()).filter(|at| matches!(pod[*at], b'{' | b'[')) {
        // A bracket in a string is the beginning of nothing, and may have any end.
        if let Some(end) = value_end(&pod, start) {
            assert_eq!(skip_value(&pod, start), Some(end), "at {start}");
        }
    }
}

#[test]
fn what_is_no_json_panics_nowhere() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..3_000 {
        let length = random.usize(1..300);
        let bytes: Vec<u8> = (0..length).map(|_| random.choice(*b"{}[]\"\\a:, ").unwrap()).collect();
        for start in 0..length {
            assert!(skip_value(&bytes, start).is_none_or(|end| end > start && end <= length));
        }
    }
}

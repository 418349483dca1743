use serde::de::IgnoredAny;
use serde_json::Value;

use super::*;
use crate::testing::benchmark_pod;

/// Whether serde_json takes a text to be one JSON value.
fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Whether the walk does.
fn walks(text: &[u8]) -> bool {
    value_end(text, skip_space(text, 0)).is_some_and(|end| skip_space(text, end) == text.len())
}

#[test]
fn accepts_what_is_json_and_nothing_else() {
    let deep = |open: &str, close: &str, depth| open.repeat(depth) + "1" + &close.repeat(depth);
    let good = [
        "{}",
        "[]",
        " [ ] ",
        "{ }",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-12.50e+30",
        "1E5",
        "0.1",
        r#""""#,
        r#""\"\\\/\b\f\n\r\t\u00ff\ud800""#,
        r#"{"a":[1,{"b":{}},[]],"":null}"#,
        "[ 1 , 2 ]",
        "{ \"a\" : 1 , \"b\" : 2 }",
    ];
    for text in good {
        assert!(walks(text.as_bytes()) && is_json(text.as_bytes()), "{text}");
    }
    let bad = [
        "",
        " ",
        "{",
        "[",
        "}",
        "]",
        "{]",
        "[}",
        "[1,]",
        "[,1]",
        "[1 2]",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{,"a":1}"#,
        r#"{"a" 1}"#,
        r#"{a:1}"#,
        r#"{1:1}"#,
        "nul",
        "tru",
        "falsee",
        "nulll",
        "+1",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "--1",
        "1 2",
        r#"""#,
        r#""\x""#,
        r#""\u12g4""#,
        r#""\"#,
        "\"\n\"",
        "\"a text that is longer\u{1}\"",
        "{} {}",
        "[1]]",
        "\u{feff}1",
    ];
    for text in bad {
        assert!(!walks(text.as_bytes()) && !is_json(text.as_bytes()), "{text}");
    }
    for depth in [1, 126, 127, 128, 129, 254, 255, 256, 5_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"a":"#, "}]")] {
            assert!(walks(deep(open, close, depth).as_bytes()), "{depth}");
            assert!(!walks((deep(open, close, depth) + "]").as_bytes()), "{depth}");
            assert!(!walks(&deep(open, close, depth).as_bytes()[1..]), "{depth}");
        }
    }
}

/// Quotes, backslashes and control characters at every place of the eight bytes that are looked at together.
#[test]
fn texts_end_where_they_end_at_any_offset() {
    for length in 0..40 {
        for behind in ["", "x", "xxxxxxxxxxxxxxxx"] {
            let plain = "ü".repeat(length / 2) + &"~".repeat(length % 2);
            let text = format!("\"{plain}\"{behind}");
            assert_eq!(string_end(text.as_bytes(), 0), Some(plain.len() + 2), "{text}");
            let escaped = format!("\"{plain}\\\"{plain}\\\\\"{behind}");
            assert_eq!(string_end(escaped.as_bytes(), 0), Some(escaped.len() - behind.len()), "{escaped}");
            for control in [0, 1, 0x0a, 0x1f] {
                let mut broken = text.clone().into_bytes();
                broken.insert(1 + plain.len(), control);
                assert_eq!(string_end(&broken, 0), None, "{broken:?}");
            }
        }
        let open = format!("\"{}", "a".repeat(length));
        assert_eq!(string_end(open.as_bytes(), 0), None);
    }
    assert_eq!(string_end(b"a\"", 0), None);
}

/// Random damage to real documents: the walk and serde_json agree on every one.
#[test]
fn agrees_with_serde_json_on_damaged_documents() {
    let pod: Value = serde_json::from_slice(&benchmark_pod(3)).unwrap();
    let seeds = [
        pod["metadata"].to_string(),
        serde_json::to_string_pretty(&pod["status"]).unwrap(),
        r#"{"a":[1,-2.5e3,true,null,"\"\\ü"],"b":{"c":[[],{}]}}"#.to_owned(),
    ]
    .map(String::into_bytes);
    let mut random = fastrand::Rng::with_seed(11);
    let mut good = 0;
    for round in 0..30_000 {
        let mut json = seeds[round % seeds.len()].clone();
        let at = random.usize(..json.len());
        match random.u8(..5) {
            0 => json[at] = *random.choice(b"{}[]\",:\\ 0n-e.\n").unwrap(),
            1 => json.insert(at, *random.choice(b"{}[]\",:\\ 0n-e.\n\x01").unwrap()),
            2 => drop(json.remove(at)),
            3 => json.truncate(at),
            _ => json[at] = random.u8(..0x80),
        }
        let (walked, parsed) = (walks(&json), is_json(&json));
        assert_eq!(walked, parsed, "round {round}: {}", String::from_utf8_lossy(&json));
        good += usize::from(walked);
    }
    assert!((2_000..28_000).contains(&good), "{good}: damage is not always fatal, nor always harmless");
}

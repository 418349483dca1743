use serde_json::json;

use super::*;

fn read(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

#[test]
fn hostile_text_is_escaped_and_means_the_same() {
    let hostile = json!({
        "esc": "\u{1b}[2J", "csi": "\u{9b}1m", "bell": "a\u{7}", "cr": "over\rwritten", "nul": "\0", "del": "\u{7f}",
        "turned": "abc\u{202e}def", "marks": "\u{200f}\u{200e}\u{61c}\u{2066}x", "lines": "a\nb\u{202e}c\n\u{1b}d\n",
        "mark": "\u{fffe}", "separators": "\u{2028}\u{2029}", "key\u{202e}s": ["\u{202d}"], "tab": "a\tb\n\tc\n",
        "fine": "☃ → ü 🙂 <script>alert(1)</script>",
    });
    let text = yaml(&hostile).unwrap();
    let obeyed: Vec<_> = text.chars().filter(|c| !matches!(c, '\n' | '\t') && is_obeyed(*c)).collect();
    assert!(obeyed.is_empty(), "{obeyed:?} in {text}");
    assert_eq!(read(&text), hostile, "{text}");
}

/// `\uFFFE` is how the writer of YAML writes the mark.
#[test]
fn the_mark_as_text_stays_what_it_is() {
    for other in ["x", "abc\u{202e}def", "\u{fffe}"] {
        for text in [
            "\\uFFFE",
            "a\\uFFFE202Eb",
            "\\\\uFFFE",
            "\\uFFFE\u{202e}\\uFFFE",
            "\"\\uFFFE\"\n",
            "\u{fffe}\\uFFFE",
        ] {
            let object = json!({ "text": text, text: [text], "other": other });
            let written = yaml(&object).unwrap();
            assert_eq!(read(&written), object, "{written}");
        }
    }
}

#[test]
fn ordinary_text_is_as_it_was() {
    let plain = json!({ "a": "x", "b": "two\nlines\n" });
    assert_eq!(yaml(&plain).unwrap(), serde_saphyr::to_string(&plain).unwrap());
}

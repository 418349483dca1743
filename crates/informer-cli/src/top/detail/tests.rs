use serde_json::json;

use super::*;
use crate::top::testing::{document, informer, said};
use crate::top::text::width;

fn shown(json: serde_json::Value, columns: usize) -> String {
    let document = document(&said(1, &[json], &[]));
    let lines = lines(&document.informers[0], columns, Palette { coloured: false });
    assert!(lines.iter().skip(1).all(|line| line.width() <= columns), "{lines:#?}");
    lines.iter().map(|line| format!("{}\n", line.to_string().trim_end())).collect()
}

#[test]
fn one_informer_is_shown_whole() {
    let wanted = "\
pods  v1 Pod
● watching 3m12s, synced

reflector    100 events, –/s; last heard 1s ago, last change 3s ago, last
             bookmark 50s ago
watches      3, resumed 1
lists        2: expired 1, first 1
delta queue  3 waiting, 4.0 KiB
cache        10 objects, 12 versions held
memory       packed 12 KiB, 1.2 KiB an object; decoded 2.0 KiB, 12 hits, 4
             misses
failures     0

HANDLER                BACKLOG   CALLS    RATE  SLOWEST  PANICS  MERGED   SLOW
count                        0     100       –     <1ms       0       0      0
◐ filling: slow             17      40       –     1.5s     ▲ 2     250      1

NAMESPACE          PHASE                HEARD  EVENTS  LISTS           VERSION
all namespaces     ● watching 3m12s        1s     100      2            123456
";
    assert_eq!(shown(informer("pods", "watching", 10, 100), 78), wanted);
}

#[test]
fn the_last_error_is_told_and_the_worst_namespaces_come_first() {
    let mut troubled = informer("pods", "unreachable", 10, 100);
    let scope = |name: &str, phase: &str, ago: f64, status: Option<u16>| {
        json!({ "scope": format!("namespace {name:?}"), "phase": phase,
        "lastError": { "message": format!("of {name}"), "httpStatus": status, "secondsAgo": ago } })
    };
    troubled["scopes"] = json!([
        scope("a", "watching", 50.0, None),
        scope("c", "unreachable", 9.0, Some(503)),
        scope("b", "unreachable", 30.0, None)
    ]);
    let text = shown(troubled, 100);
    assert!(text.contains("\n▲ last error 9s ago: HTTP 503, of c\n"), "{text}");
    let places: Vec<_> = ["\nb ", "\nc ", "\na "].iter().map(|name| text.find(name)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
    let mut wrong = informer("pods", "watching", 0, 0);
    wrong["wrongType"] = "missing field".into();
    assert!(shown(wrong, 100).contains("▲ wrong type: missing field"));
}

#[test]
fn a_program_that_says_little_and_a_narrow_screen_are_no_trouble() {
    let text = shown(json!({ "name": "old" }), 40);
    assert!(text.contains("no handlers") && text.contains("reflector    – events"), "{text}");
    let hostile = json!({ "name": "\u{1b}[2J", "lastFailure": format!("{}\u{202e}", "long ".repeat(300)),
        "handlers": [{ "name": "日本語\u{1b}".repeat(20) }] });
    let text = shown(hostile, 40);
    assert!(
        !text.contains(['\u{1b}', '\u{202e}']) && width(text.lines().last().expect("lines")) <= 40,
        "{text}"
    );
}

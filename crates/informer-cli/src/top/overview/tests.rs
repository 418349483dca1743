use super::*;
use crate::top::source::Look;
use crate::top::testing::{having_heard, informer, look, noon, said, state};

const PLAIN: Palette = Palette { coloured: false };

fn health_of(informers: &[serde_json::Value]) -> String {
    health(&having_heard(100, 24, &[said(1, informers, &[])]), 100, PLAIN).to_string()
}

#[test]
fn the_worst_comes_first() {
    let [good, bad, busy] = [("pods", "watching"), ("nodes", "unreachable"), ("jobs", "listing")]
        .map(|(name, phase)| informer(name, phase, 10, 1));
    assert_eq!(
        health_of(std::slice::from_ref(&good)),
        "● 1 of 1 synced · 10 objects · 14 KiB · heard 1s ago · ▲ 2 panics"
    );
    assert!(
        health_of(&[good.clone(), bad.clone()]).starts_with("▲ 1 in trouble · 2 of 2 synced · 20 objects")
    );
    let mut filling = busy;
    filling["synced"] = false.into();
    assert!(health_of(&[good, filling]).starts_with("◐ 1 of 2 synced"));
    assert_eq!(health_of(&[serde_json::json!({ "name": "old" })]), "◐ 0 of 1 synced · – objects · –");
}

#[test]
fn the_title_keeps_the_state_of_the_link_on_a_narrow_screen() {
    let mut state = state(40, 10);
    assert_eq!(title(&state, 40, PLAIN).to_string(), "http://localhost:9090       ◐ connecting");
    state.hear(look(&said(192, &[], &[])));
    assert_eq!(title(&state, 40, PLAIN).to_string(), "http://localhost:9090, up 3m12s   ● live");
    state.hear(Look { at: noon(), second: 1.0, seen: Err("refused".to_owned()) });
    for columns in 0..120 {
        assert!(title(&state, columns, PLAIN).width() <= columns, "{columns}");
        assert!(health(&state, columns, PLAIN).width() <= columns, "{columns}");
    }
    let wanted = "http://localhost:9090, up 3m12s         ▲ not reachable since 12:00:00, trying again";
    assert_eq!(title(&state, wanted.chars().count(), PLAIN).to_string(), wanted);
    assert_eq!(health(&state, 80, PLAIN).to_string(), "▲ refused");
}

#[test]
fn the_curve_ends_at_the_right_and_is_as_high_as_its_highest_value() {
    let counts = [0, 0, 10, 30, 70];
    let documents: Vec<_> = counts
        .iter()
        .zip(1..)
        .map(|(events, second)| said(second, &[informer("pods", "watching", 1, *events)], &[]))
        .collect();
    let state = having_heard(50, 24, &documents);
    assert_eq!(events(&state, 50).to_string(), "40 events/s                        ▁▃▅█  top 40");
    let quiet = having_heard(50, 24, &[said(1, &[], &[])]);
    assert_eq!(events(&quiet, 50).to_string().trim_end(), "– events/s");
}

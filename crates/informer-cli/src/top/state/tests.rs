use serde_json::Value;

use super::*;
use crate::top::sort::Column;
use crate::top::testing::{having_heard, informer, look, noon, press, queue, said, type_in};

/// Informers `a`, `b` and so on, with 1, 2 … objects.
fn many(count: u8) -> Value {
    let letters: Vec<_> = (0..count).map(|number| format!("{number:03}")).collect();
    let informers: Vec<_> =
        letters.iter().zip(1..).map(|(name, objects)| informer(name, "watching", objects, 0)).collect();
    said(1, &informers, &[])
}

/// The name of the selected row.
fn selected(state: &State) -> Option<&str> {
    state.selected().map(|(Row::Informer(name) | Row::Queue(name))| name.as_str())
}

fn names(state: &State) -> Vec<&str> {
    state.rows().into_iter().map(|informer| informer.name.as_str()).collect()
}

#[test]
fn the_selection_moves_within_the_rows_and_can_be_seen() {
    let mut state = having_heard(80, 24, &[many(50)]);
    assert_eq!((selected(&state), state.first), (Some("000"), 0));
    press(&mut state, Key::Up);
    assert_eq!(selected(&state), Some("000"));
    type_in(&mut state, "jj");
    press(&mut state, Key::Down);
    assert_eq!((selected(&state), state.first), (Some("003"), 0));
    // Eighteen rows fit.
    press(&mut state, Key::PageDown);
    assert_eq!((selected(&state), state.first), (Some("021"), 4));
    press(&mut state, Key::End);
    assert_eq!((selected(&state), state.first), (Some("049"), 32));
    press(&mut state, Key::PageUp);
    assert_eq!((selected(&state), state.first), (Some("031"), 31));
    state.resize(Size { width: 80, height: 12 });
    assert_eq!((selected(&state), state.first), (Some("031"), 31));
    state.resize(Size { width: 80, height: 60 });
    assert_eq!((selected(&state), state.first), (Some("031"), 0), "no empty rows at the end");
    type_in(&mut state, "G");
    assert_eq!(selected(&state), Some("049"));
    type_in(&mut state, "g");
    assert_eq!(selected(&state), Some("000"));
}

#[test]
fn the_selection_stays_with_its_informer() {
    let mut state = having_heard(80, 24, &[many(3)]);
    type_in(&mut state, "j");
    let all = |names: &[&str]| {
        let informers: Vec<_> = names.iter().map(|name| informer(name, "watching", 1, 1)).collect();
        look(&said(2, &informers, &[]))
    };
    state.hear(all(&["!", "000", "001", "002"]));
    assert_eq!(selected(&state), Some("001"), "another one came before it");
    state.hear(all(&["!", "000", "002"]));
    assert_eq!(selected(&state), Some("002"), "the one in its place");
    state.hear(all(&[]));
    assert_eq!(selected(&state), None);
    press(&mut state, Key::Enter);
    assert_eq!(state.view, View::List, "there is nothing to open");
    state.hear(all(&["000"]));
    assert_eq!(selected(&state), Some("000"));
}

#[test]
fn sorting_shows_what_is_first() {
    let mut state = having_heard(80, 24, &[many(30)]);
    type_in(&mut state, "sss");
    assert_eq!(state.sort.column, Column::Objects);
    assert_eq!((names(&state)[0], selected(&state)), ("029", Some("029")));
    type_in(&mut state, "S");
    assert_eq!((names(&state)[0], selected(&state)), ("000", Some("000")));
    type_in(&mut state, "<<");
    assert_eq!(state.sort.column, Column::Namespaces);
    type_in(&mut state, ">");
    assert_eq!(state.sort.column, Column::Phase);
}

#[test]
fn the_filter_is_typed_kept_and_cleared() {
    let informers = [
        informer("pods", "watching", 1, 1),
        informer("nodes", "unreachable", 1, 1),
        informer("secrets", "watching", 1, 1),
    ];
    let mut state = having_heard(80, 24, &[said(1, &informers, &[queue("web", 1), queue("nodes", 2)])]);
    type_in(&mut state, "/ODS");
    assert_eq!((names(&state), state.typing), (vec!["pods"], true));
    assert!(state.queues().is_empty());
    press(&mut state, Key::Backspace);
    assert_eq!(names(&state).len(), 3, "all are of the kind Pod");
    press(&mut state, Key::Enter);
    assert_eq!((state.filter.as_str(), state.typing), ("OD", false));
    type_in(&mut state, "/ unreach\u{1b}");
    assert_eq!(
        (names(&state), state.filter.as_str()),
        (vec!["nodes"], "OD unreach"),
        "all words, and no control characters"
    );
    assert_eq!(state.queues().len(), 0);
    type_in(&mut state, "q?");
    assert_eq!((names(&state).len(), &state.view), (0, &View::List), "keys are text now");
    press(&mut state, Key::Erase);
    assert_eq!((names(&state).len(), state.typing), (3, true));
    type_in(&mut state, "web");
    assert_eq!(state.queues().len(), 1);
    press(&mut state, Key::Escape);
    assert_eq!((names(&state).len(), state.typing), (3, false));
    type_in(&mut state, "/pods");
    press(&mut state, Key::Enter);
    press(&mut state, Key::Escape);
    assert_eq!(names(&state).len(), 3);
    type_in(&mut state, "/");
    press(&mut state, Key::Backspace);
    assert!(!state.typing, "an empty filter is left with Backspace");
    assert_eq!(state.queues()[0].name, "nodes", "most is due there");
}

#[test]
fn one_informer_is_opened_and_left() {
    let mut state = having_heard(40, 10, &[many(3)]);
    type_in(&mut state, "j");
    press(&mut state, Key::Enter);
    assert_eq!(state.view, View::One(Row::Informer("001".to_owned())));
    press(&mut state, Key::End);
    let last = state.first;
    assert!(last > 3, "it is longer than the screen: {last}");
    press(&mut state, Key::Down);
    assert_eq!(state.first, last, "not past the end");
    press(&mut state, Key::PageUp);
    assert_eq!(state.first, last - 7);
    press(&mut state, Key::Escape);
    assert_eq!((&state.view, selected(&state)), (&View::List, Some("001")));
    press(&mut state, Key::Enter);
    state.hear(look(&said(2, &[informer("000", "watching", 1, 1)], &[])));
    assert_eq!(state.view, View::List, "it is gone");
    type_in(&mut state, "?");
    assert_eq!(state.view, View::Help);
    type_in(&mut state, "?");
    assert_eq!(state.view, View::List);
    type_in(&mut state, "h/");
    assert_eq!((&state.view, state.typing), (&View::List, true));
}

/// These many informers and queues; the queues are in the order of their numbers.
fn with_queues(informers: u8, queues: u64) -> Value {
    let queues: Vec<_> = (0..queues).map(|number| queue(&format!("q{number:02}"), 99 - number)).collect();
    let mut said = many(informers);
    said["queues"] = queues.into();
    said
}

#[test]
fn below_the_last_informer_are_the_queues() {
    let mut state = having_heard(80, 24, &[with_queues(20, 9)]);
    assert_eq!(state.room(), Room { informers: 10, queues: 6 });
    type_in(&mut state, "G");
    assert_eq!((selected(&state), state.first_queue), (Some("q08"), 3), "they scroll");
    type_in(&mut state, "kkkkkk");
    assert_eq!((selected(&state), state.first_queue), (Some("q02"), 2));
    press(&mut state, Key::PageUp);
    assert_eq!((selected(&state), state.first_queue), (Some("q00"), 0), "a page ends with its table");
    press(&mut state, Key::PageUp);
    assert_eq!((selected(&state), state.first), (Some("019"), 10));
    press(&mut state, Key::PageUp);
    assert_eq!((selected(&state), state.first), (Some("009"), 9));
    type_in(&mut state, "jj");
    press(&mut state, Key::PageDown);
    assert_eq!(selected(&state), Some("019"));
    press(&mut state, Key::PageDown);
    assert_eq!(state.selected(), Some(&Row::Queue("q00".to_owned())));
    assert_eq!((state.first, state.first_queue), (10, 0), "informers stay where they are");
    type_in(&mut state, "k");
    assert_eq!(state.selected(), Some(&Row::Informer("019".to_owned())));
    type_in(&mut state, "Gs");
    assert_eq!(selected(&state), Some("000"), "who sorts wants to see informers");
}

#[test]
fn one_queue_is_opened_and_left() {
    let mut state = having_heard(40, 10, &[with_queues(20, 9)]);
    assert_eq!(state.room(), Room { informers: 4, queues: 0 });
    type_in(&mut state, "Gk");
    assert_eq!((state.room(), state.first_queue), (Room { informers: 0, queues: 4 }, 5));
    press(&mut state, Key::Enter);
    assert_eq!(state.view, View::One(Row::Queue("q07".to_owned())));
    press(&mut state, Key::End);
    assert!(state.first > 0, "it is longer than the screen");
    press(&mut state, Key::Escape);
    assert_eq!((&state.view, selected(&state)), (&View::List, Some("q07")));
    press(&mut state, Key::Enter);
    state.hear(look(&with_queues(20, 7)));
    assert_eq!((&state.view, selected(&state)), (&View::List, Some("q06")), "it is gone");
    state.hear(look(&with_queues(20, 0)));
    assert_eq!(state.selected(), Some(&Row::Informer("019".to_owned())), "all are");
    // An informer may have the name of a queue.
    let mut said = with_queues(1, 0);
    said["queues"] = vec![queue("000", 1)].into();
    state.hear(look(&said));
    assert_eq!(state.selected(), Some(&Row::Informer("000".to_owned())));
    type_in(&mut state, "j");
    press(&mut state, Key::Enter);
    assert_eq!(state.view, View::One(Row::Queue("000".to_owned())));
}

#[test]
fn the_filter_does_not_lead_away_from_informers_while_there_are_any() {
    let mut state = having_heard(80, 24, &[with_queues(20, 9)]);
    type_in(&mut state, "jjj/0");
    press(&mut state, Key::Backspace);
    type_in(&mut state, "00");
    assert_eq!((names(&state).len(), state.queues().len(), selected(&state)), (10, 1, Some("003")));
    type_in(&mut state, "1");
    assert_eq!((selected(&state), state.queues().len()), (Some("001"), 0), "the one that is left");
    press(&mut state, Key::Erase);
    type_in(&mut state, "q0");
    assert_eq!((names(&state).len(), state.queues().len(), selected(&state)), (0, 9, Some("q00")));
    press(&mut state, Key::Down);
    assert_eq!(selected(&state), Some("q01"));
    press(&mut state, Key::Escape);
    assert_eq!((names(&state).len(), selected(&state)), (20, Some("q01")));
}

#[test]
fn a_pause_keeps_what_is_shown() {
    let mut state = having_heard(80, 24, &[many(2)]);
    type_in(&mut state, "p");
    state.hear(look(&many(5)));
    state.hear(look(&many(6)));
    assert_eq!((names(&state).len(), state.paused), (2, true));
    type_in(&mut state, " ");
    assert_eq!((names(&state).len(), state.paused), (6, false));
}

#[test]
fn a_program_that_goes_and_comes_back_is_told() {
    let lost = |minute: i64, why: &str| Look {
        at: noon() + k8s_openapi::jiff::Span::new().minutes(minute),
        second: 0.0,
        seen: Err(why.to_owned()),
    };
    let mut state = having_heard(80, 24, &[many(2)]);
    assert_eq!(state.link, Link::Live);
    state.hear(lost(1, "refused"));
    state.hear(lost(2, "no \u{1b}[2J answer"));
    let wanted = Link::Lost { since: "12:01:00".to_owned(), why: "no \\u{1b}[2J answer".to_owned() };
    assert_eq!(state.link, wanted, "since the first, for the last reason");
    assert_eq!(names(&state).len(), 2, "what was last known stays");
    state.hear(look(&many(3)));
    assert_eq!((&state.link, names(&state).len()), (&Link::Live, 3));
    state.hear(lost(5, "refused"));
    assert!(matches!(&state.link, Link::Lost { since, .. } if since == "12:05:00"));
}

#[test]
fn two_keys_end_it() {
    let mut state = having_heard(80, 24, &[many(2)]);
    assert!(state.press(Key::Letter('q')).is_break());
    assert!(state.press(Key::Interrupt).is_break());
    type_in(&mut state, "/q");
    assert!(state.press(Key::Interrupt).is_break(), "also while the filter is typed");
    let mut state = having_heard(1, 1, &[]);
    for key in [Key::Up, Key::End, Key::PageDown, Key::Enter, Key::Escape, Key::Letter('s'), Key::Letter('?')]
    {
        press(&mut state, key);
    }
}

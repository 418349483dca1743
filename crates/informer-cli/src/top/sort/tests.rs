use informer_wire::status_document::{HandlerEntry, InformerEntry, ScopeEntry};

use super::*;
use crate::top::document::Handler;

fn names(sort: Sort, informers: &[Informer]) -> Vec<&str> {
    let mut sorted: Vec<_> = informers.iter().collect();
    sorted.sort_by(|a, b| sort.order(a, b));
    sorted.into_iter().map(|informer| informer.name.as_str()).collect()
}

/// In `b` every number is largest, `c` has none.
fn informers() -> [Informer; 3] {
    let with = |name: &str, phase: &str, number: u64| Informer {
        name: name.to_owned(),
        entry: InformerEntry {
            phase: Some(phase.to_owned()),
            synced: Some(true),
            objects: Some(number),
            bytes_alive: Some(number),
            queued: Some(number),
            stale_seconds: Some(f64::from(u32::try_from(number).unwrap())),
            scopes: vec![ScopeEntry {
                scope: Some(format!("ns-{number}")),
                relists: [("expired".to_owned(), number)].into(),
                ..ScopeEntry::default()
            }],
            ..InformerEntry::default()
        },
        rate: Some(f64::from(u32::try_from(number).unwrap())),
        handlers: vec![Handler {
            entry: HandlerEntry { backlog: Some(number), ..HandlerEntry::default() },
            ..Handler::default()
        }],
    };
    [
        with("a", "watching", 1),
        with("b", "unreachable", 2),
        Informer { name: "c".to_owned(), ..Informer::default() },
    ]
}

#[test]
fn numbers_begin_with_the_largest_and_texts_with_a() {
    let informers = informers();
    for column in Column::ALL {
        let (first, last) = match column {
            Column::Name => (["a", "b", "c"], ["c", "b", "a"]),
            Column::Namespaces => (["c", "a", "b"], ["b", "a", "c"]),
            // Not known is between good and bad.
            Column::Phase => (["b", "c", "a"], ["a", "c", "b"]),
            _ => (["b", "a", "c"], ["c", "a", "b"]),
        };
        assert_eq!(names(Sort::by(column), &informers), first, "{column:?}");
        assert_eq!(names(Sort::by(column).reversed(), &informers), last, "{column:?}");
    }
}

#[test]
fn those_that_are_equal_stay_in_the_order_of_their_names() {
    let [mut a, mut b, c] = informers();
    (a.entry.objects, b.entry.objects) = (Some(1), Some(1));
    let informers = [b, a, c];
    assert_eq!(names(Sort::by(Column::Objects), &informers), ["a", "b", "c"]);
    assert_eq!(names(Sort::by(Column::Objects).reversed(), &informers), ["c", "a", "b"]);
}

#[test]
fn columns_follow_each_other_in_a_circle() {
    let mut sort = Sort::default();
    for column in Column::ALL {
        assert_eq!(sort.column, column);
        sort = sort.reversed().moved(1);
    }
    assert_eq!(sort, Sort::default(), "another column begins in its own direction");
    assert_eq!(sort.moved(-1).column, Column::Backlog);
    assert_eq!((sort.arrow(), sort.reversed().arrow(), sort.moved(-1).arrow()), ("▴", "▾", "▾"));
}

#[test]
fn what_has_not_synced_is_not_good_yet() {
    let [mut watching, ..] = informers();
    assert_eq!(gravity(&watching), Gravity::Good);
    watching.entry.synced = Some(false);
    assert_eq!(gravity(&watching), Gravity::Busy);
    assert_eq!(
        (gravity_of(Some("a phase of a newer program")), gravity_of(Some("gone"))),
        (Gravity::Busy, Gravity::Bad)
    );
}

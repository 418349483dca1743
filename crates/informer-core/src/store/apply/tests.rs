use std::sync::Arc;

use super::{PlanInput, plan_inputs};
use crate::delta::DeltaChange::*;
use crate::delta::{Delta, DeltaChange};
use crate::object::record::Record;
use crate::object::testing::record_with;
use crate::scope::Scope;
use crate::store::change::Change;
use crate::store::testing::{Bench, replaced, told};

#[test]
fn b_286_added_and_updated_are_told_apart_by_the_store() {
    let mut bench = Bench::new();
    let (one, two) = (bench.record("ns/a", "u", "1"), bench.record("ns/a", "u", "2"));
    assert_eq!(told(&bench.apply(vec![Updated(one)])), ["+ ns/a@1"]);
    assert_eq!(told(&bench.apply(vec![Added(two)])), ["~ ns/a@1 ns/a@2"]);
    assert_eq!(bench.content(), ["ns/a@2"]);
}

#[test]
fn versions_of_an_object_share_the_texts_of_its_key() {
    let mut bench = Bench::new();
    let one = bench.record("ns/a", "u", "1");
    let name = one.key().name().as_ptr();
    bench.apply(vec![Added(one)]);
    for version in ["2", "3"] {
        let next = bench.record("ns/a", "u", version);
        assert_ne!(next.key().name().as_ptr(), name);
        let applied = bench.apply(vec![Updated(next)]);
        assert!(
            matches!(&applied.changes[..], [Change::Updated { new, .. }] if new.key().name().as_ptr() == name)
        );
    }
}

#[test]
fn b_066_d15_an_event_not_newer_than_the_stored_version_is_dropped_and_counted() {
    let mut bench = Bench::new();
    let [four, five, ten] = ["4", "5", "10"].map(|version| bench.record("a", "u", version));
    bench.add(&[&five]);
    let applied = bench.apply(vec![Updated(four), Updated(five)]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 2));
    assert_eq!(bench.add(&[&ten]), ["~ a@5 a@10"], "compared as numbers, not as text");
}

#[test]
fn b_068_versions_that_do_not_compare_are_applied_unless_they_are_the_same() {
    let mut bench = Bench::new();
    let [x, y, none] = ["x", "y", ""].map(|version| bench.record("a", "u", version));
    bench.add(&[&x]);
    let again = bench.record("a", "u", "x");
    let applied = bench.apply(vec![Updated(again)]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1));
    assert_eq!(bench.add(&[&y]), ["~ a@x a@y"]);
    assert_eq!(bench.add(&[&none]), ["~ a@y a@"]);
    assert_eq!(bench.add(&[&none]), ["~ a@ a@"], "without a version nothing can be a duplicate");
}

#[test]
fn b_203_d5_changed_uid_is_deleted_then_added() {
    let mut bench = Bench::new();
    let old = bench.record("a", "first", "5");
    bench.add(&[&old]);
    let stale = bench.record("a", "zeroth", "4");
    let applied = bench.apply(vec![Added(stale)]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1), "an older incarnation is stale");
    let new = bench.record("a", "second", "6");
    assert_eq!(bench.add(&[&new]), ["- a@5", "+ a@6"]);
    assert_eq!(bench.content(), ["a@6"]);
}

#[test]
fn b_287_b_294_a_delete_carries_the_last_state_of_its_incarnation() {
    let mut bench = Bench::new();
    let stored = bench.record("a", "u", "5");
    let last = bench.record("a", "u", "9");
    bench.add(&[&stored]);
    assert_eq!(told(&bench.apply(vec![Deleted(last)])), ["- a@5 (a@9)"]);
    assert!(bench.content().is_empty());

    bench.add(&[&bench.record("a", "v", "10")]);
    let other = bench.record("a", "w", "12");
    assert_eq!(told(&bench.apply(vec![Deleted(other)])), ["- a@10"], "of another incarnation: nothing known");

    bench.add(&[&bench.record("a", "x", "20")]);
    let (late, late_other) = (bench.record("a", "x", "19"), bench.record("a", "v", "18"));
    let applied = bench.apply(vec![Deleted(late), Deleted(late_other)]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 2), "older than what is stored");
    let same = bench.record("a", "x", "20");
    assert_eq!(told(&bench.apply(vec![Deleted(same)])), ["- a@20 (a@20)"], "only strictly older is dropped");
}

#[test]
fn b_115_b_151_b_218_a_delete_of_an_unknown_key_is_ignored_and_counted() {
    let mut bench = Bench::new();
    let applied = bench.apply(vec![Deleted(bench.record("a", "u", "5"))]);
    assert_eq!((told(&applied).len(), applied.counts.unknown_deletes), (0, 1));
    assert_eq!(bench.version(), "5", "it happened all the same");
}

#[test]
fn an_object_that_cannot_be_taken_in_leaves_the_store() {
    let mut bench = Bench::new();
    bench.add(&[&bench.record("ns/a", "u", "1")]);
    let left_out = || left_out("ns/a", "2");
    assert_eq!(told(&bench.apply(vec![left_out()])), ["- ns/a@1"]);
    assert!(told(&bench.apply(vec![left_out()])).is_empty());
}

#[test]
fn b_171_several_deltas_of_one_key_in_one_batch_follow_each_other() {
    let mut bench = Bench::new();
    let at = |version: &str, uid: &str| bench.record("a", uid, version);
    let batch = vec![
        Added(at("1", "u")),
        Updated(at("2", "u")),
        Deleted(at("3", "u")),
        Deleted(at("3", "u")),
        Added(at("4", "v")),
        Updated(at("6", "w")),
        Updated(at("5", "v")),
    ];
    let applied = bench.apply(batch);
    assert_eq!(told(&applied), ["+ a@1", "~ a@1 a@2", "- a@2 (a@3)", "+ a@4", "- a@4", "+ a@6"]);
    assert_eq!((applied.counts.unknown_deletes, applied.counts.duplicates), (1, 1));
    assert_eq!(bench.content(), ["a@6"]);
    assert_eq!(bench.version(), "6");

    let gone = vec![Added(bench.record("b", "u", "7")), Deleted(bench.record("b", "u", "8"))];
    assert_eq!(told(&bench.apply(gone)), ["+ b@7", "- b@7 (b@8)"]);
    assert_eq!(bench.content(), ["a@6"], "added and gone within one batch");
}

#[test]
fn b_222_the_version_follows_every_delta() {
    let mut bench = Bench::new();
    assert_eq!(bench.version(), "");
    bench.apply(vec![replaced("10", &[])]);
    assert_eq!(bench.version(), "10");
    bench.add(&[&bench.record("a", "u", "11")]);
    assert_eq!(bench.version(), "11");
    bench.apply(vec![Deleted(bench.record("a", "u", "12"))]);
    assert_eq!(bench.version(), "12");
    bench.apply(vec![left_out("a", "13")]);
    assert_eq!(bench.version(), "12", "what could not be taken in is not in the store");
}

#[test]
fn b_045_b_291_a_bookmark_moves_the_version_and_nothing_else() {
    let mut bench = Bench::new();
    let before = bench.writer.indexer().list().commit();
    let applied = bench.apply(vec![Bookmark("15".into())]);
    assert!(told(&applied).is_empty());
    assert_eq!(bench.version(), "15");
    assert!(bench.writer.indexer().list().commit() > before);
}

#[test]
fn b_223_an_empty_version_leaves_the_stores_version_alone() {
    let mut bench = Bench::new();
    bench.apply(vec![Bookmark("15".into())]);
    bench.add(&[&bench.record("a", "u", "")]);
    bench.apply(vec![Bookmark("".into()), replaced("", &[])]);
    assert_eq!(bench.version(), "15");
}

#[test]
fn b_224_the_version_moves_backwards_only_with_a_list() {
    let mut bench = Bench::new();
    bench.apply(vec![Bookmark("15".into()), Bookmark("9".into())]);
    bench.add(&[&bench.record("a", "u", "10")]);
    assert_eq!(bench.version(), "15");
    bench.apply(vec![replaced("3", &[])]);
    assert_eq!(bench.version(), "3", "a rewound server");
    bench.apply(vec![Bookmark("odd".into())]);
    assert_eq!(bench.version(), "odd", "what does not compare is believed");
}

#[test]
fn b_219_the_version_of_a_batch_is_its_newest_not_its_last() {
    let mut bench = Bench::new();
    bench.add(&[&bench.record("a", "u", "7"), &bench.record("b", "u", "5")]);
    assert_eq!(bench.version(), "7");
}

#[test]
fn events_outside_their_scope_are_ignored_and_counted() {
    let mut bench = Bench::of(vec![Scope::namespace("x"), Scope::namespace("y")]);
    let in_y = bench.record("y/a", "u", "1");
    let wrong = vec![Added(in_y.clone()), Deleted(in_y.clone()), left_out("y/a", "2")];
    let applied = bench.apply_to(0, wrong);
    assert_eq!((told(&applied).len(), applied.counts.outside_scope), (0, 3));
    assert_eq!(bench.version(), "", "of a foreign object the version says nothing");
    assert_eq!(told(&bench.apply_to(1, vec![Added(in_y.clone())])), ["+ y/a@1"]);
    let applied = bench.apply_to(7, vec![Added(in_y), Bookmark("3".into()), replaced("4", &[])]);
    assert_eq!((told(&applied).len(), bench.content()), (0, vec!["y/a@1".to_owned()]), "no such scope");
}

#[test]
fn content_does_not_matter_for_events_only_versions_do() {
    let mut bench = Bench::new();
    bench.add(&[&bench.record("a", "u", "5")]);
    let other = record_with(&bench.origin, "a", "u", "5", &[], "changed");
    assert_eq!(bench.apply(vec![Updated(other)]).counts.duplicates, 1);
}

#[test]
fn b_174_events_in_a_row_are_one_step_and_so_one_commit() {
    let bench = Bench::new();
    let delta = |change| Delta { scope: 0, change };
    let put = |key| delta(Added(bench.record(key, "u", "1")));
    let plan_inputs = plan_inputs(vec![put("a/1"), put("a/2"), delta(replaced("9", &[])), put("a/3")]);
    assert!(
        matches!(&plan_inputs[..], [PlanInput::Events(two), PlanInput::Replace { .. }, PlanInput::Events(one)]
        if two.len() == 2 && one.len() == 1)
    );
}

fn left_out(key: &str, version: &str) -> DeltaChange {
    LeftOut { key: key.parse().unwrap(), version: version.into() }
}

fn looked(key: &str, version: &str, object: Option<Arc<Record>>) -> DeltaChange {
    Looked { key: key.parse().unwrap(), version: version.into(), object, rewinds: 0 }
}

#[test]
fn d11_a_look_at_one_key_holds_its_older_events_back_whatever_their_uid() {
    let mut bench = Bench::new();
    let at = |uid: &str, version: &str| bench.record("a", uid, version);
    let (first, second, third) = (at("u", "5"), at("v", "12"), at("w", "21"));
    let late =
        vec![Deleted(at("u", "8")), Added(at("t", "9")), Deleted(at("t", "10")), Added(second.clone())];
    bench.apply(vec![replaced("5", &[&first])]);
    let seen = told(&bench.apply(vec![looked("a", "20", Some(second))]));
    assert_eq!((seen, bench.version()), (vec!["- a@5".into(), "+ a@12".into()], "5".into()));
    let applied = bench.apply(late);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 4));
    assert_eq!((bench.version().as_str(), bench.writer.indexer().barriers(0)), ("12", 1));
    assert_eq!(told(&bench.apply(vec![Bookmark("20".into())])).len(), 0);
    assert_eq!(bench.writer.indexer().barriers(0), 0, "the scope has passed it");
    assert_eq!(bench.add(&[&third]), ["- a@12", "+ a@21"]);
}

#[test]
fn d11_a_look_that_finds_nothing_deletes_and_one_that_comes_late_changes_nothing() {
    let mut bench = Bench::new();
    let (old, between) = (bench.record("a", "u", "5"), bench.record("a", "v", "9"));
    bench.apply(vec![replaced("5", &[&old])]);
    assert_eq!(told(&bench.apply(vec![looked("a", "10", None)])), ["- a@5"]);
    let applied = bench.apply(vec![Added(between.clone()), looked("a", "9", Some(between.clone()))]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 2));
    bench.apply(vec![Bookmark("30".into())]);
    let applied = bench.apply(vec![looked("a", "29", Some(between))]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1), "the watch has passed it");
}

#[test]
fn d11_an_older_list_does_not_touch_what_was_looked_up_unless_the_server_went_back() {
    let mut bench = Bench::new();
    let record = |key: &str, version: &str| bench.record(key, "u", version);
    let (a, b, c, ahead) = (record("a", "1"), record("b", "2"), record("c", "3"), record("a", "15"));
    bench.apply(vec![replaced("5", &[&a, &b])]);
    bench.apply(vec![looked("a", "20", Some(ahead)), looked("c", "20", None), looked("b", "20", None)]);
    assert_eq!(bench.content(), ["a@15"]);
    assert_eq!(told(&bench.apply(vec![replaced("10", &[&a, &b, &c])])), [""; 0]);
    assert_eq!((bench.content(), bench.version()), (vec!["a@15".into()], "10".into()));
    bench.apply(vec![replaced("4", &[&a, &b])]);
    assert_eq!((bench.content(), bench.writer.indexer().barriers(0)), (vec!["a@1".into(), "b@2".into()], 0));
    let applied = bench.apply(vec![looked("b", "20", None)]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1), "it is from before");
    assert_eq!(bench.writer.indexer().rewinds(0), 1);
}

#[test]
fn d11_an_object_that_cannot_be_taken_in_lifts_its_barrier() {
    let mut bench = Bench::new();
    let (old, new) = (bench.record("a", "u", "5"), bench.record("a", "u", "8"));
    bench.apply(vec![replaced("5", &[&old]), looked("a", "20", Some(new.clone()))]);
    assert_eq!(told(&bench.apply(vec![left_out("a", ""), Updated(new)])), ["- a@8", "+ a@8"]);
    assert_eq!(bench.writer.indexer().barriers(0), 0);
}

#[test]
fn d11_an_older_version_that_cannot_be_taken_in_changes_nothing() {
    let mut bench = Bench::new();
    let (old, new) = (bench.record("a", "u", "5"), bench.record("a", "u", "18"));
    bench.apply(vec![replaced("5", &[&old]), looked("a", "20", Some(new.clone()))]);
    for stale in ["7", "18", "20"] {
        let applied = bench.apply(vec![left_out("a", stale)]);
        assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1), "{stale}");
    }
    let applied = bench.apply(vec![Updated(bench.record("a", "u", "8"))]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1), "the barrier is still there");
    assert_eq!((bench.content(), bench.writer.indexer().barriers(0)), (vec!["a@18".to_owned()], 1));
    assert_eq!(told(&bench.apply(vec![left_out("a", "21")])), ["- a@18"], "this one is news");
    assert_eq!(bench.writer.indexer().barriers(0), 1, "older events are still held back");
}

#[test]
fn an_older_version_that_cannot_be_taken_in_does_not_remove_a_newer_one() {
    let mut bench = Bench::new();
    bench.add(&[&bench.record("a", "u", "7")]);
    let applied = bench.apply(vec![left_out("a", "5")]);
    assert_eq!((told(&applied).len(), applied.counts.duplicates), (0, 1));
    assert_eq!(told(&bench.apply(vec![left_out("a", "7")])), ["- a@7"]);
}

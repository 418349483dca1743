use std::sync::Arc;

use super::*;
use crate::delta::Delta;
use crate::delta::DeltaChange::*;
use crate::object::testing::record_with;
use crate::store::testing::{Bench, names, replaced, run, told};

#[test]
fn b_152_b_153_b_288_all_that_is_gone_then_the_rest_in_list_order() {
    let mut bench = Bench::new();
    let [a, b, c] = ["ns/a", "ns/b", "other/c"].map(|key| bench.record(key, "u", "1"));
    let applied = bench.apply(vec![replaced("5", &[&c, &a, &b])]);
    assert_eq!(told(&applied), ["+ other/c@1", "+ ns/a@1", "+ ns/b@1"]);
    assert_eq!(applied.first_sync, [0]);

    let (b2, d) = (bench.record("ns/b", "u", "6"), bench.record("ns/d", "u", "7"));
    let applied = bench.apply(vec![replaced("8", &[&d, &b2])]);
    let told = told(&applied);
    let mut gone = told[..2].to_vec();
    gone.sort();
    assert_eq!(gone, ["- ns/a@1", "- other/c@1"]);
    assert_eq!(told[2..], ["+ ns/d@7", "~ ns/b@1 ns/b@6"]);
    assert_eq!(bench.content(), ["ns/b@6", "ns/d@7"]);
    assert_eq!(bench.version(), "8");
    assert!(applied.first_sync.is_empty(), "only the first list is the first");
}

#[test]
fn b_217_the_version_is_the_lists_even_when_nothing_changed() {
    let mut bench = Bench::new();
    let a = bench.record("a", "u", "1");
    bench.apply(vec![replaced("5", &[&a])]);
    assert!(told(&bench.apply(vec![replaced("9", &[&a])])).is_empty());
    assert_eq!(bench.version(), "9");
}

#[test]
fn b_103_b_162_an_empty_first_list_is_a_sync_too() {
    let mut bench = Bench::new();
    bench.add(&[&bench.record("a", "u", "1")]);
    assert!(!bench.writer.indexer().synced(0), "events alone are no list");
    let applied = bench.apply(vec![replaced("5", &[])]);
    assert_eq!((told(&applied), applied.first_sync), (vec!["- a@1".to_owned()], vec![0]));
    assert!(bench.writer.indexer().synced(0));
}

/// Looks at the store at every pause of a commit that is too large to be made at once.
#[test]
fn b_104_what_the_first_list_deletes_is_gone_when_the_scope_counts_as_synced() {
    let mut bench = Bench::new();
    let records: Vec<_> = (0..2_000).map(|number| bench.record(&format!("ns/{number}"), "u", "1")).collect();
    bench.add(&records.iter().collect::<Vec<_>>());
    let indexer = bench.writer.indexer().clone();
    let seen = run(async {
        let mut seen = Vec::new();
        let list = Delta { scope: 0, change: replaced("5", &[]) };
        let mut apply = std::pin::pin!(bench.writer.apply(vec![list]));
        while futures::poll!(&mut apply).is_pending() {
            seen.push((indexer.synced(0), indexer.len()));
        }
        seen.dedup();
        seen
    });
    assert_eq!(seen, [(false, 2_000), (true, 0)], "never synced with something that is to be deleted");
}

#[test]
fn d6_unchanged_objects_are_not_news_and_keep_their_record() {
    let mut bench = Bench::new();
    let make = |version: &str, text: &str| record_with(&bench.origin, "a", "u", version, &[], text);
    for version in ["4", "odd", ""] {
        let (stored, equal) = (make(version, "x"), make(version, "x"));
        let mut bench = Bench::new();
        bench.apply(vec![replaced("5", &[&stored])]);
        assert!(told(&bench.apply(vec![replaced("6", &[&equal])])).is_empty(), "{version:?}");
        let held = bench.writer.indexer().get(stored.key()).unwrap();
        assert!(Arc::ptr_eq(&held, &stored), "{version:?}: the stored record stays");
    }
    let (stored, other) = (make("4", "x"), make("4", "y"));
    bench.apply(vec![replaced("5", &[&stored])]);
    let changed = told(&bench.apply(vec![replaced("6", &[&other])]));
    assert_eq!(changed, ["~ a@4 a@4"], "a reused version with other content");
}

#[test]
fn a_rewound_server_is_believed() {
    let mut bench = Bench::new();
    bench.apply(vec![replaced("50", &[&bench.record("a", "u", "40")])]);
    let applied = bench.apply(vec![replaced("20", &[&bench.record("a", "u", "10")])]);
    assert_eq!(told(&applied), ["~ a@40 a@10"]);
    assert_eq!(bench.version(), "20");
}

#[test]
fn b_203_d5_a_changed_uid_in_a_list_is_deleted_then_added() {
    let mut bench = Bench::new();
    bench.apply(vec![replaced("50", &[&bench.record("a", "u", "40")])]);
    let applied = bench.apply(vec![replaced("60", &[&bench.record("a", "v", "30")])]);
    assert_eq!(told(&applied), ["- a@40", "+ a@30"]);
    assert_eq!(bench.content(), ["a@30"]);
}

#[test]
fn b_154_of_duplicate_keys_in_a_list_the_last_wins() {
    let mut bench = Bench::new();
    let [one, two, three] = ["1", "2", "3"].map(|version| bench.record("a", "u", version));
    let b = bench.record("b", "u", "1");
    assert_eq!(told(&bench.apply(vec![replaced("9", &[&three, &one, &b, &two])])), ["+ b@1", "+ a@2"]);
}

#[test]
fn d16_a_scope_is_removed_in_one_commit_and_what_comes_late_is_ignored() {
    let mut bench = Bench::of(vec![Scope::namespace("x"), Scope::namespace("y")]);
    let (in_x, in_y) = (bench.record("x/a", "u", "1"), bench.record("y/a", "u", "2"));
    bench.apply_to(0, vec![replaced("5", &[&in_x, &bench.record("x/b", "u", "3")])]);
    bench.apply_to(1, vec![replaced("5", &[&in_y])]);
    let commit = bench.writer.indexer().list().commit();
    let plan = run(bench.writer.plan_removal(0));
    let applied = run(bench.writer.apply_plan(plan));
    let mut gone = told(&applied);
    gone.sort();
    assert_eq!(gone, ["- x/a@1", "- x/b@3"]);
    assert_eq!(bench.writer.indexer().list().commit(), commit + 1);
    assert_eq!(bench.content(), ["y/a@2"]);

    bench.writer.add_scope(2, Scope::namespace("x"));
    let late = vec![Added(in_x.clone()), replaced("6", &[&in_x]), Bookmark("7".into())];
    let applied = bench.apply_to(0, late);
    assert_eq!((told(&applied).len(), applied.counts.outside_scope), (0, 0));
    assert_eq!((bench.content(), applied.first_sync), (vec!["y/a@2".to_owned()], vec![]));
    let indexer = bench.writer.indexer();
    assert_eq!((indexer.synced(0), indexer.synced(2), indexer.version(2).is_empty()), (false, false, true));
    let applied = bench.apply_to(2, vec![replaced("8", &[&in_x])]);
    assert_eq!((told(&applied), applied.first_sync), (vec!["+ x/a@1".to_owned()], vec![2]));
}

#[test]
fn b_161_d16_a_list_replaces_its_own_scope_only() {
    let mut bench = Bench::of(vec![Scope::namespace("x"), Scope::namespace("y")]);
    let (in_x, in_y) = (bench.record("x/a", "u", "1"), bench.record("y/a", "u", "2"));
    let applied = bench.apply_to(0, vec![replaced("5", &[&in_x, &in_y])]);
    assert_eq!((told(&applied), applied.counts.outside_scope), (vec!["+ x/a@1".to_owned()], 1));
    bench.apply_to(1, vec![replaced("7", &[&in_y])]);
    let applied = bench.apply_to(0, vec![replaced("8", &[])]);
    assert_eq!(told(&applied), ["- x/a@1"]);
    assert_eq!(bench.content(), ["y/a@2"]);
    let indexer = bench.writer.indexer();
    assert_eq!((indexer.version(0).to_string(), indexer.version(1).to_string()), ("8".into(), "7".into()));
}

#[test]
fn b_118_b_160_a_list_in_the_middle_of_a_batch_keeps_its_place() {
    let mut bench = Bench::new();
    let at = |key: &str, version: &str| bench.record(key, "u", version);
    let (a, b) = (at("a", "1"), at("b", "5"));
    let batch = vec![Added(a.clone()), replaced("5", &[&b]), Updated(at("b", "6")), Added(at("a", "7"))];
    assert_eq!(told(&bench.apply(batch)), ["+ a@1", "- a@1", "+ b@5", "~ b@5 b@6", "+ a@7"]);
}

#[test]
fn the_work_is_cut_into_steps_and_their_size_does_not_matter() {
    let bench = Bench::new();
    let list = |from: usize, to: usize| -> Vec<_> {
        (from..to).map(|n| bench.record(&format!("ns{}/o{n}", n % 7), "u", "1")).collect()
    };
    let mut state = StoreState::default();
    state.add_scope(0, Scope::All);
    let puts: Vec<_> = list(0, 1_000).into_iter().map(Edit::Put).collect();
    state.edit(0, &puts, &mut Vec::new(), &mut Vec::new());
    let mut plans = Vec::new();
    for budget in [1, 7, 300, usize::MAX] {
        let mut planner = ReplacePlanner::new(&state, 0, "9".into(), list(500, 1_700), false).unwrap();
        let mut steps = 1;
        while planner.step(budget) == PlanProgress::More {
            steps += 1;
        }
        assert!(budget > 300 || steps > 1_000 / budget, "{steps} steps of {budget}");
        let plan = planner.finish();
        assert_eq!((plan.changes.len(), plan.edits.len()), (500 + 700, 500 + 700));
        plans.push(names(plan.edits.iter().filter_map(Edit::record)));
    }
    assert!(plans.windows(2).all(|pair| pair[0] == pair[1]));
}

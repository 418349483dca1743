mod wide;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::delta::DeltaChange::{Added, Deleted, Updated};
use crate::store::index_build::IndexBuild;
use crate::store::index_error::IndexError;
use crate::store::index_reader::IndexReader;
use crate::store::testing::{Bench, names, replaced, run};

/// Every label value of an object; the value `bad` fails, `panic` panics.
fn values() -> IndexFunction<String> {
    Arc::new(|record: &Arc<Record>| {
        let values: Vec<_> = record.head.labels.iter().map(|(_, value)| value.to_owned()).collect();
        assert!(!values.contains(&"panic".to_owned()), "told to");
        if values.contains(&"bad".to_owned()) { Err("bad label".to_owned()) } else { Ok(values) }
    })
}

fn indexed(bench: &mut Bench) -> IndexReader<String> {
    run(bench.writer.add_index(IndexBuild::new("values", values()))).unwrap().0
}

fn sorted<V: Ord>(mut values: Vec<V>) -> Vec<V> {
    values.sort();
    values
}

#[test]
fn b_204_an_object_moves_between_buckets_when_its_values_change() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    bench.add(&[&bench.labelled("a", "1", &[("x", "red"), ("y", "round")])]);
    assert_eq!(names(&index.get("red").unwrap()), ["a@1"]);
    bench.add(&[&bench.labelled("a", "2", &[("x", "blue"), ("y", "round")])]);
    assert_eq!(index.get("red").unwrap().len(), 0);
    assert_eq!(names(&index.get("blue").unwrap()), ["a@2"]);
    assert_eq!(names(&index.get("round").unwrap()), ["a@2"], "a bucket that stays has the new record");
    bench.apply(vec![Deleted(bench.labelled("a", "3", &[]))]);
    assert_eq!((index.get("round").unwrap().len(), index.len().unwrap()), (0, 0));
}

#[test]
fn b_205_unchanged_values_only_swap_the_record() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")]), &bench.labelled("b", "1", &[("x", "red")])]);
    let before = index.bucket("red").unwrap();
    bench.add(&[&bench.labelled("a", "2", &[("x", "red")])]);
    assert_eq!(names(&index.get("red").unwrap()), ["a@2", "b@1"]);
    assert_eq!(names(before.iter()), ["a@1", "b@1"], "an answer once given does not change");
}

#[test]
fn b_206_an_object_is_in_the_bucket_of_each_of_its_values() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    let twice = bench.labelled("a", "1", &[("x", "red"), ("y", "red"), ("z", "round")]);
    bench.add(&[&twice, &bench.labelled("none", "1", &[])]);
    assert_eq!(names(&index.get("red").unwrap()), ["a@1"], "once, though it has the value twice");
    assert_eq!(names(&index.get("round").unwrap()), ["a@1"]);
    assert_eq!(index.len().unwrap(), 1, "an object without values is not in the index");
}

#[test]
fn b_207_empty_buckets_are_removed() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    for n in 0..500 {
        let version = (n + 1).to_string();
        bench.add(&[&bench.labelled("a", &version, &[("x", &version)])]);
    }
    assert_eq!(index.values().unwrap(), ["500"]);
    bench.apply(vec![replaced("900", &[])]);
    assert!(index.values().unwrap().is_empty());
}

#[test]
fn b_208_objects_that_share_a_value_come_once() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    bench.add(&[
        &bench.labelled("a", "1", &[("x", "red"), ("y", "round")]),
        &bench.labelled("b", "1", &[("x", "red"), ("y", "square")]),
        &bench.labelled("c", "1", &[("x", "blue")]),
    ]);
    let like = bench.labelled("not-stored", "1", &[("p", "red"), ("q", "round"), ("r", "square")]);
    assert_eq!(names(&index.sharing(&like).unwrap()), ["a@1", "b@1"]);
    let error = index.sharing(&bench.labelled("x", "1", &[("x", "bad")])).unwrap_err();
    assert_eq!(error.to_string(), "index \"values\": bad label");
}

#[test]
fn b_209_unknown_index_is_an_error_unknown_value_is_empty() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    assert!(index.get("nothing").unwrap().is_empty());
    assert!(index.keys("nothing").unwrap().is_empty());
    let indexer = bench.writer.indexer();
    let error = IndexReader::<String>::find(indexer, "other", None).err().unwrap();
    assert_eq!(error, IndexError::Unknown("other".into()));
    let error = IndexReader::<u64>::find(indexer, "values", None).err().unwrap();
    assert_eq!(error, IndexError::OtherType("values".into()));
    assert!(IndexReader::<String>::find(indexer, "values", None).is_ok());
}

#[test]
fn b_210_keys_are_sorted() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    let keys: Vec<_> = (0..40).map(|n| format!("ns{}/o{n}", n % 3)).collect();
    for key in &keys {
        bench.add(&[&bench.labelled(key, "1", &[("x", "red")])]);
    }
    let found: Vec<_> = index.keys("red").unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(found, sorted(keys));
}

#[test]
fn b_211_values_are_those_that_have_members() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")]), &bench.labelled("b", "1", &[("x", "blue")])]);
    assert_eq!(sorted(index.values().unwrap()), ["blue", "red"]);
    bench.apply(vec![Deleted(bench.labelled("a", "2", &[]))]);
    assert_eq!(index.values().unwrap(), ["blue"]);
}

#[test]
fn b_212_a_failing_or_panicking_function_leaves_the_object_out_of_that_index_only() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    let names_of: IndexFunction<String> = Arc::new(|record| Ok(vec![record.key().name().to_owned()]));
    let other = run(bench.writer.add_index(IndexBuild::new("names", names_of))).unwrap().0;
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")]), &bench.labelled("b", "1", &[("x", "red")])]);

    let failing = bench.labelled("a", "2", &[("x", "bad"), ("y", "red")]);
    let panicking = bench.labelled("b", "2", &[("x", "panic"), ("y", "red")]);
    let applied = bench.apply(vec![Updated(failing), Updated(panicking)]);
    assert_eq!(applied.changes.len(), 2, "stored and told all the same");
    let failures: Vec<_> =
        applied.failures.iter().map(|failure| format!("{} {}", failure.key, failure.message)).collect();
    assert_eq!(failures, ["a bad label", "b panicked: told to"]);
    assert!(applied.failures.iter().all(|failure| &*failure.index == "values"));
    assert_eq!((index.len().unwrap(), index.values().unwrap().len()), (0, 0));
    assert_eq!(names(&other.get("a").unwrap()), ["a@2"]);

    bench.add(&[&bench.labelled("a", "3", &[("x", "red")])]);
    assert_eq!(names(&index.get("red").unwrap()), ["a@3"], "back as soon as the function succeeds");
}

#[test]
fn b_213_a_second_index_of_the_same_name_is_refused() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")])]);
    let number: IndexFunction<usize> = Arc::new(|record| Ok(vec![record.key().name().len()]));
    let error = run(bench.writer.add_index(IndexBuild::new("values", number))).err().unwrap();
    assert_eq!(error, IndexError::Duplicate("values".into()));
    assert_eq!(names(&index.get("red").unwrap()), ["a@1"]);
    assert_eq!(bench.writer.indexer().index_names().len(), 1);
}

#[test]
fn b_214_an_index_added_later_has_all_objects_from_the_start() {
    let mut bench = Bench::new();
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")]), &bench.labelled("b", "1", &[("x", "bad")])]);
    let (index, failures) = run(bench.writer.add_index(IndexBuild::new("values", values()))).unwrap();
    assert_eq!(names(&index.get("red").unwrap()), ["a@1"]);
    assert_eq!(failures.len(), 1);
    bench.add(&[&bench.labelled("c", "1", &[("x", "red")])]);
    assert_eq!(names(&index.get("red").unwrap()), ["a@1", "c@1"]);
}

#[test]
fn d17_an_index_is_built_beside_and_looks_at_each_object_once() {
    let mut bench = Bench::new();
    let all: Vec<_> = (0..1_000).map(|n| bench.labelled(&format!("o{n}"), "1", &[("x", "red")])).collect();
    bench.apply(vec![replaced("5", &all.iter().collect::<Vec<_>>())]);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let function: IndexFunction<String> = Arc::new(move |record| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(record.head.labels.iter().map(|(_, value)| value.to_owned()).collect())
    });
    let mut build = IndexBuild::new("values", function);
    run(build.catch_up(bench.writer.indexer().list()));
    assert_eq!(calls.load(Ordering::Relaxed), 1_000);
    assert!(bench.writer.indexer().index_names().is_empty(), "not visible before it is complete");

    let (changed, new) =
        (bench.labelled("o1", "6", &[("x", "blue")]), bench.labelled("new", "7", &[("x", "blue")]));
    bench.apply(vec![Updated(changed), Added(new), Deleted(bench.labelled("o2", "8", &[]))]);
    let index = run(bench.writer.add_index(build)).unwrap().0;
    assert_eq!(calls.load(Ordering::Relaxed), 1_002, "only what changed meanwhile");
    assert_eq!(names(&index.get("blue").unwrap()), ["new@7", "o1@6"]);
    assert_eq!((index.get("red").unwrap().len(), index.len().unwrap()), (998, 1_000));
}

#[test]
fn b_215_a_removed_index_says_so_and_its_name_is_free_again() {
    let mut bench = Bench::new();
    let index = indexed(&mut bench);
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")])]);
    assert!(run(bench.writer.remove_index(&index)));
    assert!(!run(bench.writer.remove_index(&index)));
    assert_eq!(index.get("red").unwrap_err(), IndexError::Unknown("values".into()));
    let again = indexed(&mut bench);
    assert!(!run(bench.writer.remove_index(&index)), "the new one is another");
    assert_eq!(names(&again.get("red").unwrap()), ["a@1"]);
    assert!(index.get("red").is_err(), "the old handle does not answer from the new index");
}

/// A value whose `Eq` panics when told to.
#[derive(Clone)]
struct Moody(&'static str);

impl Hash for Moody {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash(hasher);
    }
}

impl PartialEq for Moody {
    fn eq(&self, other: &Self) -> bool {
        assert!(self.0 != "moody" || other.0 != "moody", "not today");
        self.0 == other.0
    }
}

impl Eq for Moody {}

#[test]
fn a_value_type_that_panics_loses_its_index_and_nothing_else() {
    let mut bench = Bench::new();
    let good = indexed(&mut bench);
    let function: IndexFunction<Moody> = Arc::new(|_| Ok(vec![Moody("moody")]));
    let moody = run(bench.writer.add_index(IndexBuild::new("moody", function))).unwrap().0;
    bench.add(&[&bench.labelled("a", "1", &[("x", "red")])]);
    let applied = bench.apply(vec![
        Added(bench.labelled("b", "2", &[("x", "red")])),
        Added(bench.labelled("c", "3", &[("x", "red")])),
    ]);
    assert_eq!(applied.failures.len(), 1, "{:?}", applied.failures);
    assert!(applied.failures[0].message.contains("not today"));
    assert_eq!(names(&good.get("red").unwrap()), ["a@1", "b@2", "c@3"]);
    assert_eq!(moody.len().unwrap_err(), IndexError::Unknown("moody".into()));
}

#[test]
fn a_value_type_that_panics_while_the_index_is_built_is_an_error() {
    let mut bench = Bench::new();
    bench.add(&[&bench.labelled("a", "1", &[]), &bench.labelled("b", "1", &[])]);
    let function: IndexFunction<Moody> = Arc::new(|_| Ok(vec![Moody("moody")]));
    let error = run(bench.writer.add_index(IndexBuild::new("moody", function))).err().unwrap();
    assert!(error.to_string().contains("not today"), "{error}");
    assert!(bench.writer.indexer().index_names().is_empty());
}

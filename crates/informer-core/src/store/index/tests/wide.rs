//! Objects with very many values.

use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::super::*;
use crate::delta::DeltaChange::Deleted;
use crate::store::index_build::IndexBuild;
use crate::store::indexer::Indexer;
use crate::store::testing::{Bench, run};

const WIDE: usize = 20_000;

thread_local! {
    /// How often two values were compared, and hashed while no reader could read.
    static COMPARED: Cell<usize> = const { Cell::new(0) };
    static LOCKED: Cell<usize> = const { Cell::new(0) };
    static INDEXER: RefCell<Option<Arc<Indexer>>> = const { RefCell::new(None) };
}

#[derive(Clone, Debug)]
struct Number(usize);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.set(COMPARED.get() + 1);
        self.0 == other.0
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let locked = INDEXER.with_borrow(|indexer| {
            indexer.as_ref().is_some_and(|indexer| indexer.state.try_read().is_none())
        });
        LOCKED.set(LOCKED.get() + usize::from(locked));
        self.0.hash(state);
    }
}

/// An index of which each object has `WIDE` values, each of them twice: half of them change with each version.
fn wide(bench: &mut Bench) -> crate::store::index_reader::IndexReader<Number> {
    let function: IndexFunction<Number> = Arc::new(|record| {
        let version: usize = record.head.resource_version.to_string().parse().unwrap();
        let first = version * WIDE / 2;
        Ok((first..first + WIDE).chain(first..first + WIDE).map(Number).collect())
    });
    INDEXER.set(Some(bench.writer.indexer().clone()));
    run(bench.writer.add_index(IndexBuild::new("wide", function))).unwrap().0
}

#[test]
fn values_take_time_in_proportion_to_their_number() {
    let mut bench = Bench::new();
    let index = wide(&mut bench);
    for version in ["1", "2"] {
        bench.add(&[&bench.record("a", "u", version)]);
    }
    let compared = COMPARED.take();
    assert!(compared < 40 * WIDE, "{compared} comparisons");
    assert_eq!(index.values().unwrap().len(), WIDE);
    let found = |value: usize| index.get(&Number(value)).unwrap().len();
    assert_eq!((found(WIDE - 1), found(WIDE), found(2 * WIDE - 1)), (0, 1, 1), "those of the second version");
    bench.apply(vec![Deleted(bench.record("a", "u", "3"))]);
    assert!(index.values().unwrap().is_empty());
}

#[test]
fn readers_do_not_wait_while_very_many_values_are_filed() {
    let mut bench = Bench::new();
    let index = wide(&mut bench);
    for version in ["1", "2"] {
        bench.add(&[&bench.record("a", "u", version), &bench.record("b", "u", version)]);
    }
    assert_eq!(index.get(&Number(WIDE)).unwrap().len(), 2);
    bench.apply(vec![Deleted(bench.record("a", "u", "3"))]);
    assert_eq!(index.get(&Number(WIDE)).unwrap().len(), 1);
    let locked = LOCKED.take();
    assert!(locked < 1_000, "{locked} values were looked up while readers waited");
}

use super::*;
use crate::object::testing::{origin, record};

fn seen(objects: &[Arc<Record>]) -> Vec<String> {
    objects.iter().map(|object| format!("{}@{}", object.key(), object.head.resource_version)).collect()
}

#[test]
fn b_053_the_last_version_of_a_key_wins_in_the_place_of_the_first() {
    let origin = origin();
    let mut builder = SnapshotBuilder::default();
    for (key, version) in [("n/b", "1"), ("n/a", "2"), ("n/b", "3")] {
        builder.put(record(&origin, key, "u", version));
    }
    assert_eq!(builder.len(), 2);
    assert_eq!(seen(&builder.finish()), ["n/b@3", "n/a@2"]);
}

#[test]
fn b_053_a_delete_before_the_end_removes() {
    let origin = origin();
    let mut builder = SnapshotBuilder::default();
    for key in ["n/a", "n/b", "n/c"] {
        builder.put(record(&origin, key, "u", "1"));
    }
    builder.remove(&ObjectKey::namespaced("n", "b"));
    builder.remove(&ObjectKey::namespaced("n", "never"));
    assert_eq!(builder.len(), 2);
    assert_eq!(seen(&builder.finish()), ["n/a@1", "n/c@1"]);
}

#[test]
fn an_object_that_comes_back_is_at_the_end() {
    let origin = origin();
    let mut builder = SnapshotBuilder::default();
    builder.put(record(&origin, "n/a", "u", "1"));
    builder.put(record(&origin, "n/b", "u", "1"));
    builder.remove(&ObjectKey::namespaced("n", "a"));
    builder.put(record(&origin, "n/a", "v", "2"));
    assert_eq!(seen(&builder.finish()), ["n/b@1", "n/a@2"]);
}

#[test]
fn finish_leaves_nothing_behind() {
    let origin = origin();
    let mut builder = SnapshotBuilder::default();
    builder.put(record(&origin, "n/a", "u", "1"));
    assert_eq!(builder.finish().len(), 1);
    assert_eq!(builder.len(), 0);
    assert!(builder.finish().is_empty());
}

#[test]
fn d15_a_key_is_new_once_however_often_it_goes_and_comes() {
    let mut builder = SnapshotBuilder::default();
    let origin = origin();
    let put = |builder: &mut SnapshotBuilder| builder.put(record(&origin, "n/a", "u", "1"));
    let key = ObjectKey::namespaced("n", "a");
    assert!(put(&mut builder) && !put(&mut builder));
    assert!(!builder.remove(&key) && !put(&mut builder));
    assert!(builder.remove(&ObjectKey::namespaced("n", "b")));
    assert!(!builder.remove(&ObjectKey::namespaced("n", "b")));
}

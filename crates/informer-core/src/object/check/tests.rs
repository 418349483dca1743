use super::*;

fn names(causes: &[Cause]) -> Vec<&'static str> {
    causes.iter().map(Cause::name).collect()
}

fn key(i: usize) -> ObjectKey {
    ObjectKey::cluster(format!("o{i}"))
}

fn fails(check: &TypeCheck, count: usize) -> Vec<Cause> {
    (0..count).flat_map(|i| check.judge(&key(i), Err("bad".into()))).collect()
}

#[test]
fn the_first_16_and_every_1000th_are_due() {
    let check = TypeCheck::default();
    let due: Vec<usize> = (1..=3_000).filter(|_| check.is_due()).collect();
    assert_eq!(due, (1..=16).chain([1_000, 2_000, 3_000]).collect::<Vec<_>>());
}

#[test]
fn all_of_the_first_failing_is_a_wrong_type_told_once() {
    let check = TypeCheck::default();
    assert_eq!(names(&fails(&check, 16)), ["wrong_type"]);
    assert_eq!(check.wrong_type().unwrap(), "o15: bad");
    assert!(fails(&check, 5).is_empty() && check.first_list_done().is_empty());
    assert!(check.judge(&key(0), Ok(())).is_empty());
    assert_eq!(check.wrong_type(), None, "one that decodes takes it back");
}

#[test]
fn a_short_list_is_judged_at_its_end() {
    let check = TypeCheck::default();
    assert!(fails(&check, 2).is_empty());
    assert_eq!(names(&check.first_list_done()), ["wrong_type"]);
    assert!(check.first_list_done().is_empty());
}

#[test]
fn single_failures_are_told_one_by_one() {
    let check = TypeCheck::default();
    assert!(fails(&check, 2).is_empty());
    assert_eq!(names(&check.judge(&key(2), Ok(()))), ["undecodable", "undecodable"]);
    assert_eq!(names(&fails(&check, 1)), ["undecodable"]);
    assert!(check.first_list_done().is_empty() && check.wrong_type().is_none());
}

#[test]
fn after_an_empty_list_nothing_is_held_back() {
    let check = TypeCheck::default();
    assert!(check.first_list_done().is_empty());
    assert_eq!(fails(&check, 15).len(), 15);
    assert_eq!(names(&fails(&check, 1)), ["wrong_type"]);
}

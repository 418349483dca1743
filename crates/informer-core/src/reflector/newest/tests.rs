use super::*;

fn put(newest: &mut Newest, name: &str, version: &str) {
    newest.put(&ObjectKey::cluster(name), &"uid".into(), &version.into());
}

fn last(newest: &Newest) -> Option<String> {
    newest.last().map(|seen| seen.key.to_string())
}

#[test]
fn the_newest_is_the_one_of_the_highest_version_in_whatever_order_they_come() {
    let mut newest = Newest::default();
    for (name, version) in [("a", "9"), ("b", "100"), ("c", "20")] {
        put(&mut newest, name, version);
    }
    assert_eq!(last(&newest).as_deref(), Some("b"));
    put(&mut newest, "a", "101");
    assert_eq!(last(&newest).as_deref(), Some("a"));
}

#[test]
fn the_next_one_takes_its_place_when_it_is_deleted() {
    let mut newest = Newest::default();
    for version in 1..100 {
        put(&mut newest, &format!("n{version}"), &version.to_string());
    }
    assert_eq!(newest.seen.len(), KEPT);
    for version in (92..100).rev() {
        assert_eq!(last(&newest), Some(format!("n{version}")));
        newest.remove(&ObjectKey::cluster(format!("n{version}")));
    }
    assert_eq!(last(&newest), None);
}

#[test]
fn an_object_at_another_version_is_not_the_one_that_was_seen() {
    let mut newest = Newest::default();
    put(&mut newest, "a", "5");
    let seen = newest.last().unwrap().clone();
    assert!(newest.has(&seen));
    put(&mut newest, "a", "6");
    assert!(!newest.has(&seen));
}

#[test]
fn versions_that_cannot_be_compared_are_no_witnesses() {
    let mut newest = Newest::default();
    put(&mut newest, "a", "abc");
    put(&mut newest, "b", "");
    assert_eq!(newest.last(), None);
}

#[test]
fn a_list_leaves_its_newest_objects() {
    let keys: Vec<_> = (0..100).map(|number| ObjectKey::cluster(format!("n{number}"))).collect();
    let versions: Vec<_> =
        (0..100).map(|number| ResourceVersion::new(&(number * 37 % 101 + 1).to_string())).collect();
    let uid = Uid::new("u");
    let mut newest = Newest::default();
    put(&mut newest, "from before", "999");
    newest.begin(Some(&"1000".into()));
    newest.fill(keys.iter().zip(&versions).map(|(key, version)| (key, &uid, version)));
    let mut sorted: Vec<_> =
        versions.iter().map(|version| version.to_string().parse::<u64>().unwrap()).collect();
    sorted.sort_unstable();
    let kept: Vec<u64> = newest.seen.iter().map(|seen| seen.version.to_string().parse().unwrap()).collect();
    assert_eq!(kept, sorted[92..]);
}

/// A watch that lags behind, and a list from a cache that does.
#[test]
fn what_was_looked_up_stays_until_the_watch_or_a_list_has_come_so_far() {
    let mut newest = Newest::default();
    put(&mut newest, "old", "10");
    put(&mut newest, "looked up", "20");
    put(&mut newest, "looked up", "12");
    newest.gone(&ObjectKey::cluster("looked up"), &"15".into());
    newest.begin(Some(&"19".into()));
    assert_eq!(newest.seen.len(), 1, "the list says everything about the other");
    assert_eq!(newest.last().map(|seen| seen.version.to_string()).as_deref(), Some("20"));
    let mut gone = Newest { seen: newest.seen.clone(), ..Newest::default() };
    gone.gone(&ObjectKey::cluster("looked up"), &"21".into());
    assert_eq!(last(&gone), None);
    let mut listed = Newest { seen: newest.seen.clone(), ..Newest::default() };
    listed.begin(Some(&"20".into()));
    assert_eq!(last(&listed), None);
    newest.begin(None);
    assert_eq!(last(&newest), None, "nothing counts after a rewind");
}

/// The watch was quicker than the answer to a lookup, or a list was.
#[test]
fn a_late_answer_brings_no_object_back_that_was_deleted_meanwhile() {
    let key = ObjectKey::cluster("x");
    let late =
        |newest: &mut Newest, as_of: &str| newest.looked(&key, &"uid".into(), &"100".into(), &as_of.into());
    let mut newest = Newest::default();
    newest.gone(&key, &"105".into());
    late(&mut newest, "100");
    assert_eq!(last(&newest), None);
    newest.begin(Some(&"110".into()));
    late(&mut newest, "107");
    assert_eq!(last(&newest), None);
    newest.begin(Some(&"104".into()));
    late(&mut newest, "107");
    assert_eq!(last(&newest), None, "a list from a cache takes nothing back");
    late(&mut newest, "110");
    assert_eq!(last(&newest).as_deref(), Some("x"));
    newest.begin(None);
    late(&mut newest, "100");
    assert_eq!(last(&newest).as_deref(), Some("x"), "after a rewind all begins anew");
}

use super::*;

fn labels(pairs: &[(&str, &str)]) -> LabelSet {
    LabelSet::from_pairs(pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect())
}

#[test]
fn lookup_and_order() {
    let set = labels(&[("tier", "front"), ("app", "web"), ("app", "api")]);
    assert_eq!(set.get("app"), Some("api"), "the last of equal keys wins");
    assert_eq!(set.iter().collect::<Vec<_>>(), [("app", "api"), ("tier", "front")]);
    assert_eq!(set.get("missing"), None);
}

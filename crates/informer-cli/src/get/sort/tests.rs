use serde_json::json;

use super::*;

/// The names of objects in the order of the field `a`.
fn sorted(objects: &[(&str, Value)]) -> Vec<String> {
    let contents: Vec<_> = objects.iter().map(|(_, value)| json!({ "a": value })).collect();
    let ranks = ranks(&Path::parse(".a").unwrap(), contents.iter()).unwrap();
    let mut names: Vec<_> = objects.iter().map(|(name, _)| (*name).to_owned()).zip(ranks).collect();
    names.sort_by(|(_, one), (_, other)| one.order(other));
    names.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn numbers_texts_and_quantities_have_their_own_order() {
    assert_eq!(
        sorted(&[("ten", json!(10)), ("nine", json!(9)), ("none", json!(null)), ("half", json!(0.5))]),
        ["none", "half", "nine", "ten"]
    );
    assert_eq!(sorted(&[("b", json!("b")), ("a", json!("a")), ("B", json!("B"))]), ["B", "a", "b"]);
    assert_eq!(sorted(&[("2", json!("1Gi")), ("1", json!("9Mi")), ("0", json!("500m"))]), ["0", "1", "2"]);
    assert_eq!(sorted(&[("2", json!("10")), ("1", json!("9"))]), ["1", "2"]);
    assert_eq!(sorted(&[("2", json!("9x")), ("1", json!("10x"))]), ["1", "2"]);
    assert_eq!(sorted(&[("yes", json!(true)), ("no", json!(false))]), ["no", "yes"]);
}

#[test]
fn what_has_no_order_is_refused() {
    let path = Path::parse(".a").unwrap();
    let of = |object: Value| ranks(&path, [object].iter()).unwrap_err();
    assert!(of(json!({ "a": [1] })).contains("no order"));
    assert!(of(json!({ "b": 1 })).contains("none of the objects"));
    assert_eq!(ranks(&path, [].iter()), Ok(vec![]));
}

#[test]
fn only_quantities_are_quantities() {
    assert_eq!(quantity("1Ki"), Some(1024.0));
    assert_eq!(quantity("-1.5k"), Some(-1500.0));
    assert_eq!(quantity("1e3"), Some(1000.0));
    for text in ["", "Ki", "web-0", "2026-01-01T00:00:00Z", "1KB", "."] {
        assert_eq!(quantity(text), None, "{text}");
    }
}

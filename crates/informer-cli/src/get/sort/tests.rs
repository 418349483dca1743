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
fn what_comes_before_something_comes_before_all_that_follows_it() {
    let values = [
        json!("10"),
        json!("9"),
        json!("5x"),
        json!("1Gi"),
        json!("9Mi"),
        json!("web-0"),
        json!(""),
        json!("100m"),
        json!("-1"),
        json!(7),
        json!(-0.5),
        json!(true),
        json!(false),
        json!(null),
    ];
    let objects: Vec<Value> = values.iter().map(|value| json!({ "a": value })).collect();
    let path = Path::parse(".a").unwrap();
    // Each list of three of them, so that texts and quantities are together in any mixture; and all.
    let places = 0..values.len().pow(3);
    let digits =
        places.map(|place| [1, values.len(), values.len().pow(2)].map(|one| place / one % values.len()));
    let lists = digits.map(|places| places.map(|place| &objects[place]).to_vec());
    for list in lists.chain([objects.iter().collect()]) {
        let Ok(ranks) = ranks(&path, list.into_iter()) else { continue };
        for one in &ranks {
            for other in &ranks {
                assert_eq!(one.order(other), other.order(one).reverse(), "{one:?} {other:?}");
                for third in &ranks {
                    let is_in_order = one.order(other).is_le() && other.order(third).is_le();
                    assert!(!is_in_order || one.order(third).is_le(), "{one:?} {other:?} {third:?}");
                }
            }
        }
    }
    assert_eq!(sorted(&[("10", json!("10")), ("9", json!("9")), ("5x", json!("5x"))]), ["10", "5x", "9"]);
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

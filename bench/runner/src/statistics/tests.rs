use super::Spread;

#[test]
fn the_median_is_the_middle_and_nothing_has_none() {
    let spread = Spread::of(vec![3.0, 1.0, 10.0]).unwrap();
    assert_eq!(spread, Spread { median: 3.0, least: 1.0, most: 10.0 });
    assert_eq!(Spread::of(vec![1.0, 2.0]).unwrap().median, 1.5);
    assert_eq!(Spread::of(Vec::new()), None);
}

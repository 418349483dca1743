use super::*;

#[test]
fn zones_are_known_by_their_rules_and_nonsense_is_none() {
    let noon: Timestamp = "2026-07-01T12:00:00Z".parse().unwrap();
    assert_eq!(time_of_day(noon, &by_name("IST-5:30").unwrap()), "17:30:00");
    assert_eq!(time_of_day(noon, &by_name("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()), "14:00:00");
    assert_eq!(time_of_day(noon, &TimeZone::UTC), "12:00:00");
    assert!(by_name("No/Such").is_none() && by_name("").is_none());
}

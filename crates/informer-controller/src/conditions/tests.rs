use std::time::Duration;

use super::*;

fn at(second: i64, condition: Condition) -> Condition {
    Condition { last_transition_time: Time(Timestamp::from_second(second).unwrap()), ..condition }
}

#[test]
fn the_time_changes_with_the_status_and_with_nothing_else() {
    let mut all = Vec::new();
    assert!(set(&mut all, at(1, new("Ready", false, "Waiting", "0 of 3", Some(1)))));
    assert!(!set(&mut all, at(2, new("Ready", false, "Waiting", "0 of 3", Some(1)))), "nothing changed");
    assert!(set(&mut all, at(3, new("Ready", false, "Waiting", "1 of 3", Some(1)))));
    assert!(set(&mut all, at(4, new("Ready", false, "Waiting", "1 of 3", Some(2)))));
    assert_eq!(all, [at(1, new("Ready", false, "Waiting", "1 of 3", Some(2)))]);
    assert!(set(&mut all, at(5, new("Ready", true, "AllReady", "", Some(2)))));
    assert_eq!(all, [at(5, new("Ready", true, "AllReady", "", Some(2)))]);
    assert!(set(&mut all, at(6, unknown("Ready", "NoAnswer", "", Some(2)))));
    assert_eq!(find(&all, "Ready").map(|ready| &*ready.status), Some("Unknown"));
}

#[test]
fn conditions_stay_in_their_places() {
    let mut all = Vec::new();
    for type_ in ["A", "B", "C", "A"] {
        set(&mut all, new(type_, type_ != "B", "R", "", None));
    }
    let types = |all: &[Condition]| all.iter().map(|condition| condition.type_.clone()).collect::<String>();
    assert_eq!((types(&all), is_true(&all, "A"), is_true(&all, "B")), ("ABC".to_owned(), true, false));
    assert!(remove(&mut all, "B") && !remove(&mut all, "B") && !is_true(&all, "D"));
    assert_eq!(types(&all), "AC");
}

#[tokio::test(start_paused = true)]
async fn on_paused_time_the_time_of_a_condition_is_what_has_passed() {
    let ready = |is_so| new("Ready", is_so, "R", "", None);
    let mut all = vec![ready(true)];
    let begin = all[0].last_transition_time.clone();
    tokio::time::sleep(Duration::from_secs(90)).await;
    assert!(set(&mut all, ready(false)));
    assert_eq!(all[0].last_transition_time.0.duration_since(begin.0).as_secs(), 90);
}

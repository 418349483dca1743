use super::*;

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn what_was_used_last_is_remembered_and_the_rest_is_not() {
    let mut recent = Recent::new(10);
    *recent.get("kept".to_owned(), || 0) = 7;
    for number in 0..1000 {
        recent.get(number.to_string(), || 0);
        assert_eq!(*recent.get("kept".to_owned(), || 0), 7);
        assert!(recent.len() <= 10);
    }
    assert_eq!(*recent.get("0".to_owned(), || 5), 5, "it was forgotten");
}

#[test]
fn from_the_tenth_note_on_new_ones_are_combined_and_known_ones_are_not() {
    let now = Instant::now();
    let mut notes = Notes::new(now);
    let combined: Vec<u32> = (1..=15).filter(|number| notes.are_many(&number.to_string(), now)).collect();
    assert_eq!(combined, (10..=15).collect::<Vec<_>>());
    assert!(!notes.are_many("1", now + MINUTE));
    assert!(notes.are_many("15", now + 11 * MINUTE), "ten minutes since the last one, not since the first");
    assert!(!notes.are_many("15", now + 22 * MINUTE), "after ten quiet minutes it begins anew");
}

#[test]
fn a_bucket_fills_again_one_by_one_and_not_over_its_brim() {
    let now = Instant::now();
    let mut bucket = Bucket::full(3, now);
    let mut take = |minute: u32| bucket.take(3, 5 * MINUTE, now + minute * MINUTE);
    assert_eq!([0, 0, 0, 0, 4, 5, 6].map(&mut take), [true, true, true, false, false, true, false]);
    assert_eq!([1000; 4].map(&mut take), [true, true, true, false]);
}

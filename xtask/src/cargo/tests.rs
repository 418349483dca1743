use super::*;

#[test]
fn the_summaries_of_all_harnesses_are_added_up() {
    let mut count = TestCount::default();
    count.add("running 3 tests");
    count.add("back after 1.2 stest result: ok. 0 passed; 0 failed");
    count.add(
        "test result: ok. 19 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 1.39s",
    );
    count.add("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
    assert_eq!(count, TestCount { passed: 20, failed: 2, ignored: 1, skipped: 0 });
    assert_eq!(count.to_string(), "20 tests passed, 2 failed, 1 ignored");
    count.skip(4);
    assert_eq!(count.to_string(), "16 tests passed, 2 failed, 1 ignored, 4 skipped");
}

use super::Latency;

#[test]
fn the_last_call_for_a_version_counts_and_versions_before_the_events_do_not() {
    // Versions 11 to 13 were written at 1, 2 and 3 ms; the last of them was heard once, the second never.
    let (sent, ms) = ([1, 2, 3].map(|at| at * 1_000_000), 1_000_000);
    let stamps = [(9, 50 * ms), (11, 2 * ms), (11, 9 * ms), (13, 4 * ms), (11, 5 * ms)];
    let all = Latency::of(stamps, &sent, 13).unwrap();
    assert_eq!((all.count, all.p50, all.p999), (4, 4_000.0, 8_000.0));
    let last = Latency::of_last(stamps, &sent, 13).unwrap();
    assert_eq!((last.count, last.p50, last.p999), (2, 8_000.0, 8_000.0));
    assert!(Latency::of_last([], &sent, 13).is_none());
}

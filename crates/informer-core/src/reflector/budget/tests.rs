use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn ten_at_once_then_one_a_second() {
    let now = Instant::now();
    let mut budget = Budget::new(10, SECOND);
    assert_eq!(budget.available(now), 10);
    for _ in 0..10 {
        assert_eq!(budget.take(now), Duration::ZERO);
    }
    assert_eq!(budget.available(now), 0);
    assert_eq!(budget.take(now), SECOND);
    assert_eq!(budget.take(now), 2 * SECOND);
    assert_eq!(budget.available(now + 3 * SECOND), 1);
    assert_eq!(budget.take(now + 3 * SECOND), Duration::ZERO);
}

#[test]
fn an_idle_bucket_is_full_and_no_fuller() {
    let now = Instant::now();
    let mut budget = Budget::new(10, SECOND);
    for _ in 0..10 {
        budget.take(now);
    }
    let later = now + 1_000 * SECOND;
    assert_eq!(budget.available(later), 10);
    for _ in 0..10 {
        assert_eq!(budget.take(later), Duration::ZERO);
    }
    assert_eq!(budget.take(later), SECOND);
}

#[test]
fn never_more_than_twenty_in_ten_seconds_whenever_one_asks() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut budget = Budget::new(10, SECOND);
        let mut now = Instant::now();
        let mut sent: Vec<Instant> = Vec::new();
        for _ in 0..100 {
            now += Duration::from_millis(if random.u8(0..3) == 0 { random.u64(0..3_000) } else { 0 });
            now += budget.take(now);
            sent.push(now);
            let recent = sent.iter().filter(|at| **at + 10 * SECOND >= now).count();
            assert!(recent <= 20, "{recent} requests in 10 s with seed {seed}");
        }
    }
}

use super::*;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn without_jitter() -> Tuning {
    Tuning::default().backoff_jitter(0.0).backoff_first(millis(800)).backoff_steady(Duration::ZERO)
}

#[test]
fn b_006_waits_double_up_to_30_s() {
    let mut backoff = Backoff::new(&without_jitter());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut now = Instant::now();
    for expected in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000] {
        let wait = backoff.after_failure(now, None, &mut rng);
        assert_eq!(wait, millis(expected));
        now += wait;
    }
}

#[test]
fn b_006_waits_stay_short_for_ten_seconds_and_double_then() {
    let mut backoff = Backoff::new(&Tuning::default().backoff_jitter(0.0));
    let mut rng = fastrand::Rng::with_seed(1);
    let mut now = Instant::now();
    let mut waits = Vec::new();
    for _ in 0..18 {
        let wait = backoff.after_failure(now, None, &mut rng);
        waits.push(u64::try_from(wait.as_millis()).unwrap());
        now += wait;
    }
    assert_eq!(waits[..14], [800; 14]);
    assert_eq!(waits[14..], [1_600, 3_200, 6_400, 12_800]);
}

#[test]
fn b_007_success_starts_over() {
    let mut backoff = Backoff::new(&without_jitter());
    let mut rng = fastrand::Rng::with_seed(1);
    let now = Instant::now();
    for _ in 0..5 {
        backoff.after_failure(now, None, &mut rng);
    }
    backoff.succeeded();
    assert_eq!(backoff.after_failure(now, None, &mut rng), millis(800));
}

#[test]
fn b_006_jitter_makes_each_wait_up_to_half_as_long_again() {
    let (mut least, mut most) = (Duration::MAX, Duration::ZERO);
    for seed in 0..2000 {
        let mut backoff = Backoff::new(&Tuning::default());
        let wait = backoff.after_failure(Instant::now(), None, &mut fastrand::Rng::with_seed(seed));
        least = least.min(wait);
        most = most.max(wait);
    }
    assert!((millis(800)..millis(806)).contains(&least), "{least:?}");
    assert!((millis(1190)..millis(1200)).contains(&most), "{most:?}");
}

#[test]
fn b_007_two_minutes_without_a_failure_start_over_but_a_lasting_outage_does_not() {
    let mut backoff = Backoff::new(&without_jitter());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut now = Instant::now();
    // Each request hangs for 75 s and fails: 105 s from failure to failure, hours on end.
    for _ in 0..100 {
        now += backoff.after_failure(now, None, &mut rng) + millis(75_000);
    }
    assert_eq!(backoff.after_failure(now, None, &mut rng), millis(30_000));
    now += millis(30_000);
    now += millis(119_999);
    assert_eq!(backoff.after_failure(now, None, &mut rng), millis(30_000));
    now += millis(30_000) + millis(120_000);
    assert_eq!(backoff.after_failure(now, None, &mut rng), millis(800));
}

#[test]
fn b_009_another_backoff_replaces_the_default() {
    let settings = without_jitter().backoff_first(millis(10)).backoff_limit(millis(100));
    let mut backoff = Backoff::new(&settings);
    let mut rng = fastrand::Rng::with_seed(1);
    let waits = [(); 5].map(|()| backoff.after_failure(Instant::now(), None, &mut rng));
    assert_eq!(waits, [10, 20, 40, 80, 100].map(millis));
}

#[test]
fn p_043_retry_after_is_the_least_and_has_a_limit() {
    let mut backoff = Backoff::new(&without_jitter());
    let mut rng = fastrand::Rng::with_seed(1);
    let now = Instant::now();
    assert_eq!(backoff.after_failure(now, Some(millis(5000)), &mut rng), millis(5000));
    assert_eq!(backoff.after_failure(now, Some(millis(1)), &mut rng), millis(1600));
    assert_eq!(backoff.after_failure(now, Some(Duration::MAX), &mut rng), millis(600_000));
}

#[test]
fn absurd_numbers_do_not_panic() {
    let settings =
        Tuning::default().backoff_first(Duration::MAX).backoff_limit(Duration::MAX).backoff_factor(1e300);
    let mut backoff = Backoff::new(&settings);
    for _ in 0..3 {
        let wait =
            backoff.after_failure(Instant::now(), Some(Duration::MAX), &mut fastrand::Rng::with_seed(1));
        assert_eq!(wait, Duration::MAX);
    }
}

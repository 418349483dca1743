use super::*;
use crate::source::StreamingList;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn b_010_the_defaults_are_the_documented_numbers_and_can_work() {
    let settings = Options::default();
    assert_eq!(settings.check(), Ok(()));
    // Every one of them: a setting that is added and not written here does not compile.
    let tuning = Tuning {
        backoff_first: Duration::from_millis(800),
        backoff_factor: 2.0,
        backoff_limit: 30 * SECOND,
        backoff_jitter: 0.5,
        backoff_steady: 10 * SECOND,
        backoff_reset: 2 * 60 * SECOND,
        retry_after_limit: 10 * 60 * SECOND,
        min_watch_timeout: 5 * 60 * SECOND,
        page_size: None,
        streaming_list: StreamingList::Auto,
        streaming_timeout: 30 * SECOND,
        streaming_objects: 100,
        fallback_memory: 60 * 60 * SECOND,
        list_silence: 75 * SECOND,
        list_limit: 5 * 60 * SECOND,
        watch_grace: 15 * SECOND,
        bookmark_silence: 150 * SECOND,
        idle_watch: 30 * SECOND,
        gone_retry: 30 * SECOND,
        poll: 30 * SECOND,
        resume_jitter: Duration::from_millis(20),
        relist_spread: SECOND / 2,
        request_burst: 10,
        request_interval: SECOND,
        relist_burst: 5,
        relist_interval: 10 * SECOND,
        short_watch: SECOND,
        document_limit: 32 * 1024 * 1024,
        queue_bytes: 8 * 1024 * 1024,
        queue_entries: 4096,
        errors_to_relist: 3,
        silences_to_relist: 2,
        early_ends_to_list: 3,
        minimum_resync: SECOND,
        stop_patience: 10 * SECOND,
        slow_call: Duration::from_millis(100),
        lookup_after: Duration::from_millis(500),
    };
    let documented = Options {
        tuning,
        resync: Duration::ZERO,
        decode_cache: DecodeCache::default(),
        namespaces: Namespaces::Inherited(None),
        labels: None,
        fields: None,
        name: None,
        metadata_only: false,
        keep_managed_fields: false,
        sensitive: false,
        decoded: false,
        exclusive: false,
        drop_fields: Vec::new(),
        transform: None,
        tweak: None,
    };
    assert_eq!(settings, documented);
}

#[test]
fn b_010_settings_that_cannot_work_are_named() {
    let ok = Tuning::default;
    let cases = [
        ("backoff_first", ok().backoff_first(Duration::ZERO)),
        ("backoff_factor", ok().backoff_factor(0.99)),
        ("backoff_factor", ok().backoff_factor(f64::NAN)),
        ("backoff_jitter", ok().backoff_jitter(-0.1)),
        ("backoff_jitter", ok().backoff_jitter(f64::INFINITY)),
        ("backoff_limit", ok().backoff_limit(Duration::from_millis(799))),
        ("backoff_reset", ok().backoff_reset(Duration::ZERO)),
        ("streaming_timeout", ok().streaming_timeout(Duration::ZERO)),
        ("list_silence", ok().list_silence(Duration::ZERO)),
        ("watch_grace", ok().watch_grace(Duration::ZERO)),
        ("bookmark_silence", ok().bookmark_silence(Duration::ZERO)),
        ("gone_retry", ok().gone_retry(Duration::ZERO)),
        ("list_limit", ok().list_limit(Duration::ZERO)),
        ("poll", ok().poll(Duration::ZERO)),
        ("request_interval", ok().request_interval(Duration::ZERO)),
        ("request_interval", ok().request_interval(Duration::MAX)),
        ("relist_interval", ok().relist_interval(Duration::MAX)),
        ("relist_interval", ok().relist_interval(Duration::ZERO)),
        ("min_watch_timeout", ok().min_watch_timeout(Duration::from_millis(999))),
        ("min_watch_timeout", ok().min_watch_timeout(86_401 * SECOND)),
        ("page_size", ok().page_size(0)),
        ("document_limit", ok().document_limit(0)),
        ("queue_bytes", ok().queue_bytes(0)),
        ("queue_entries", ok().queue_entries(0)),
        ("errors_to_relist", ok().errors_to_relist(0)),
        ("silences_to_relist", ok().silences_to_relist(0)),
        ("streaming_objects", ok().streaming_objects(0)),
        ("request_burst", ok().request_burst(0)),
        ("relist_burst", ok().relist_burst(0)),
        ("early_ends_to_list", ok().early_ends_to_list(0)),
        ("minimum_resync", ok().minimum_resync(Duration::ZERO)),
    ];
    for (setting, settings) in cases {
        let error = settings.check().unwrap_err();
        assert_eq!(error.setting(), Some(setting));
        assert!(error.to_string().starts_with(setting), "{error}");
    }
    for settings in [
        ok().backoff_factor(1.0),
        ok().backoff_jitter(0.0),
        ok().backoff_limit(Duration::from_millis(800)),
        ok().min_watch_timeout(SECOND),
        ok().page_size(1),
        ok().short_watch(Duration::ZERO),
        ok().fallback_memory(Duration::ZERO),
        ok().streaming_list(StreamingList::Never),
        ok().retry_after_limit(Duration::ZERO),
        ok().stop_patience(Duration::ZERO),
        ok().slow_call(Duration::ZERO),
    ] {
        assert_eq!(settings.check(), Ok(()));
    }
}

#[test]
fn b_032_a_watch_lasts_a_random_whole_number_of_seconds_from_5_to_10_min() {
    let mut rng = fastrand::Rng::with_seed(1);
    let drawn: Vec<u32> = (0..20_000).map(|_| Tuning::default().watch_timeout(&mut rng)).collect();
    assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&300), Some(&600)));
}

#[test]
fn b_033_the_shortest_time_of_a_watch_is_taken_as_it_is() {
    let mut rng = fastrand::Rng::with_seed(1);
    for (min, most) in [(1, 2), (1800, 3600)] {
        let settings = Tuning::default().min_watch_timeout(min * SECOND);
        let drawn: Vec<u32> = (0..50_000).map(|_| settings.watch_timeout(&mut rng)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&min), Some(&most)));
    }
}

#[test]
fn d15_dead_is_t_plus_15_s_or_150_s_once_a_bookmark_came() {
    let settings = Tuning::default();
    assert_eq!(settings.watch_silence(300, false), 315 * SECOND);
    assert_eq!(settings.watch_silence(300, true), 150 * SECOND);
    assert_eq!(settings.watch_silence(60, true), 75 * SECOND);
}

#[test]
fn numbers_that_differ_are_named_like_other_options() {
    let ours = Options::default().resync(SECOND).tuning(|tuning| tuning.poll(SECOND));
    assert_eq!(Options::default().differences(&ours), ["resync", "poll"]);
}

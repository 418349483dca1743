use super::*;
use crate::object::testing::benchmark_pod;

fn script(base: &[u8], json: &[u8]) -> Vec<u8> {
    let mut script = Vec::new();
    assert!(write(base, json, usize::MAX / 2, &mut script));
    let mut made = b"before ".to_vec();
    assert!(apply(base, &script, &mut made));
    assert_eq!(&made[7..], json, "{} and {}", String::from_utf8_lossy(base), String::from_utf8_lossy(json));
    script
}

/// A value with an edit of so many bytes: lengths and the new text.
fn takes(base: &str, json: &str) -> usize {
    script(base.as_bytes(), json.as_bytes()).len()
}

#[test]
fn what_is_the_same_takes_nothing() {
    let pod = benchmark_pod(1);
    assert!(script(&pod, &pod).is_empty() && script(b"", b"").is_empty());
}

#[test]
fn a_value_in_place_of_another_takes_its_length() {
    let with = |value: &str| {
        format!(r#"{{"metadata":{{"name":"web","version":"{value}"}},"spec":{{"replicas":1}}}}"#)
    };
    assert_eq!(takes(&with("1000000001"), &with("1000000002")), 3, "one digit");
    assert_eq!(takes(&with("abcdefgh"), &with("ijklmnop")), 10);
    // Another length: both lengths.
    assert_eq!(takes(&with("10.0.0.5"), &with("172.16.14.230")), 2 + 2 + 12, "they begin alike");
    assert_eq!(takes(&with("ab"), &with("")), 4);
    assert_eq!(takes(&with(""), &with("ab")), 6);
}

#[test]
fn what_is_added_takes_its_length_and_what_is_left_out_next_to_nothing() {
    let list =
        |items: &[&str]| format!(r#"{{"status":{{"conditions":[{}]}},"end":"of it all"}}"#, items.join(","));
    let (ready, scheduled) = (
        r#"{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}"#,
        r#"{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}"#,
    );
    let (one, two) = (list(&[ready]), list(&[ready, scheduled]));
    assert!(takes(&one, &two) <= scheduled.len() + 6);
    assert!(takes(&two, &one) <= 6);
    // Items are alike, so the first becomes the other.
    assert!(takes(&list(&[scheduled]), &list(&[ready, scheduled])) <= scheduled.len() + 16);
    assert!(takes(&list(&[ready, scheduled]), &list(&[scheduled])) <= 24);
}

#[test]
fn edits_far_apart_are_edits_of_their_own() {
    let filler: String = (0..500).map(|number| format!("\"key-{number}\":{number},")).collect();
    let with = |a: &str, b: &str| format!("{{\"a\":\"{a}\",{filler}\"b\":\"{b}\"}}");
    assert!(takes(&with("1", "2"), &with("333", "4")) <= 16);
    assert!(takes(&with("1", "2"), &with(&"x".repeat(1_000), "4")) <= 1_020);
    assert!(takes(&with(&"x".repeat(1_000), "4"), &with("1", "2")) <= 20);
}

#[test]
fn more_than_the_limit_is_refused() {
    let (base, json) = (br#"{"a":"11111111","b":"22222222"}"#, br#"{"a":"33333333","b":"44444444"}"#);
    let least = script(base, json).len();
    for limit in 0..least {
        assert!(!write(base, json, limit, &mut Vec::new()), "{limit}");
    }
    let mut behind = b"something".to_vec();
    assert!(write(base, json, least, &mut behind) && behind.len() == 9 + least);
}

#[test]
fn pods_of_one_app_differ_by_less_than_they_take_packed() {
    let (base, other) = (benchmark_pod(0), benchmark_pod(1));
    assert!(script(&base, &other).len() < base.len() / 10);
}

/// Values without an end nearby, and a difference here and there. Looking for the end of the value at each of them would take minutes.
#[test]
fn hostile_documents_take_no_longer_than_others() {
    let text: Vec<u8> = (0..1 << 20).map(|number: u32| b"ABCDEFGH"[number as usize % 7]).collect();
    // Both end in another way, or the rest of both would be one value in place of another.
    let base = [&*text, b"\"an end"].concat();
    let mut given_up = 0;
    for every in [10, 24, 60, 100, 150] {
        let mut json = text.clone();
        json.iter_mut().step_by(every).for_each(|byte| *byte = b'z');
        let mut longer: Vec<u8> = Vec::new();
        text.chunks(every).for_each(|chunk| longer.extend([chunk, b"zz"].concat()));
        for mut json in [json, longer] {
            json.extend(b"\"another");
            let allowed = (base.len() + json.len()) * PATIENCE + SOME;
            let (mut script, mut left) = (Vec::new(), allowed);
            if write_patiently(&base, &json, usize::MAX / 2, &mut script, &mut left) {
                let mut made = Vec::new();
                assert!(apply(&base, &script, &mut made) && made == json);
            } else {
                assert!(left < base.len() + json.len() + 4 * FAR, "given up only when patience has run out");
                given_up += 1;
            }
        }
    }
    assert!(given_up > 0);
    // What is looked at is counted: here all of both, in search of the end of a value.
    let (mut patience, other) = (usize::MAX, [b"zz", &*base].concat());
    meet(&base, &other, &mut patience);
    assert!(usize::MAX - patience >= 2 * text.len());
    let mut patience = 1_000;
    assert!((0..1_000).any(|_| meet(b"abc", b"xyz", &mut patience).is_none()), "it runs out");
}

/// Documents whose pieces are mixed, cut, doubled and changed: whatever they are, the script makes one of the other.
#[test]
fn any_two_documents() {
    let mut random = fastrand::Rng::with_seed(7);
    let pods: Vec<Vec<u8>> = (0..60).step_by(20).map(benchmark_pod).collect();
    for _ in 0..20_000 {
        let mut document = || {
            let pod = &pods[random.usize(..pods.len())];
            let from = random.usize(..pod.len());
            let mut document = pod[from..(from + random.usize(..400)).min(pod.len())].to_vec();
            for _ in 0..random.usize(..4) {
                let at = random.usize(..=document.len());
                match random.u8(..4) {
                    0 => document.truncate(at),
                    1 => document.extend_from_within(at..),
                    2 if at < document.len() => document[at] = random.u8(..),
                    _ => drop(document.splice(at..at, 0..random.u8(..200))),
                }
            }
            document
        };
        let base = document();
        let other = document();
        script(&base, &other);
        // One of which the other was made.
        let mut changed = base.clone();
        for _ in 0..random.usize(..6) {
            let at = random.usize(..=changed.len());
            let to = (at + random.usize(..50)).min(changed.len());
            drop(changed.splice(at..to, (0..random.usize(..50)).map(|_| random.alphanumeric() as u8)));
        }
        script(&base, &changed);
    }
}

/// A script is read from memory that something else may have overwritten.
#[test]
fn any_script_is_read_without_harm() {
    let mut random = fastrand::Rng::with_seed(8);
    let (base, other) = (benchmark_pod(0), benchmark_pod(1));
    let good = script(&base, &other);
    for _ in 0..20_000 {
        let mut bad = good.clone();
        for _ in 0..=random.usize(..3) {
            let at = random.usize(..bad.len());
            bad[at] = random.u8(..);
        }
        bad.truncate(random.usize(..=bad.len()));
        let mut made = Vec::new();
        apply(&base, &bad, &mut made);
        assert!(made.len() <= base.len() + bad.len());
    }
    assert!(!apply(b"short", &good, &mut Vec::new()));
    assert!(!apply(&base, &[0xff; 20], &mut Vec::new()), "a number without end");
}

use super::*;
use crate::object::testing::{benchmark_pod, origin};

struct Rig {
    relatives: Relatives,
    packer: Packer,
    origin: Arc<Origin>,
}

impl Rig {
    fn new() -> Self {
        Self { relatives: Relatives::default(), packer: Packer::new(false), origin: origin() }
    }

    fn pack(&self, json: &[u8], before: Option<&Body>) -> Body {
        let body = self.relatives.pack(json, before, &self.packer, &self.origin);
        assert_eq!(body.json_len(), json.len());
        body.with_json(|read| assert_eq!(read, json));
        body
    }

    /// What the documents take that are shared. The records that would count the rest are not made here.
    fn shared(&self) -> usize {
        self.origin.alive_bytes.load(Ordering::Relaxed)
    }
}

fn is_edited(body: &Body) -> bool {
    matches!(body, Body::Edited { .. })
}

/// A pod with another resource version.
fn version(json: &[u8], version: u32) -> Vec<u8> {
    let text = String::from_utf8(json.to_vec()).expect("text");
    let start = text.find("\"resourceVersion\":\"").expect("a version") + 19;
    let end = start + text[start..].find('"').expect("its end");
    format!("{}{version}{}", &text[..start], &text[end..]).into_bytes()
}

#[test]
fn pods_of_one_app_share_a_document() {
    let rig = Rig::new();
    let pods: Vec<Body> = (0..20).map(|number| rig.pack(&benchmark_pod(number), None)).collect();
    assert!(!is_edited(&pods[0]) && pods[1..].iter().all(is_edited));
    assert_eq!(rig.shared(), pods[0].size(), "once");
    // The document stays as long as somebody needs it.
    let last = pods.into_iter().next_back().expect("one");
    drop(rig.relatives.last.lock().take());
    assert!(rig.shared() > 0);
    last.with_json(|read| assert_eq!(read, benchmark_pod(19)));
    drop(last);
    assert_eq!(rig.shared(), 0);
}

#[test]
fn the_next_version_is_a_change_of_the_same_document() {
    let rig = Rig::new();
    let mut body = rig.packer.pack(&benchmark_pod(0));
    for number in 1..100 {
        body = rig.pack(&version(&benchmark_pod(0), number), Some(&body));
        assert!(is_edited(&body) && body.size() < 20, "{}", body.size());
    }
    let own = rig.packer.pack(&benchmark_pod(0));
    assert_eq!(rig.shared(), own.size());
    // One that has become quite another begins anew.
    let other = rig.pack(&benchmark_pod(3_000), Some(&body));
    assert!(!is_edited(&other));
    drop(body);
    assert_eq!(rig.shared(), 0);
}

#[test]
fn the_same_content_is_the_same_however_it_is_stored() {
    let rig = Rig::new();
    let (json, other) = (version(&benchmark_pod(1), 7), version(&benchmark_pod(1), 8));
    let apart = rig.packer.pack(&json);
    rig.pack(&benchmark_pod(0), None);
    let sibling = rig.pack(&json, None);
    let next = rig.pack(&json, Some(&apart));
    let plain = Body::Plain(json.clone().into());
    let same = [&apart, &sibling, &next, &plain];
    let different =
        [rig.packer.pack(&other), rig.pack(&other, None), rig.pack(&other, Some(&apart)), Body::Plain(other.into())];
    for one in same {
        assert!(same.iter().all(|two| one.same_json(two)));
        assert!(different.iter().all(|two| !one.same_json(two) && !two.same_json(one)));
    }
}

#[test]
fn small_sensitive_and_unpackable_objects_are_stored_as_they_were() {
    let rig = Rig::new();
    for _ in 0..3 {
        assert!(!is_edited(&rig.pack(br#"{"small":"object"}"#, None)));
    }
    let mut random = fastrand::Rng::with_seed(1);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(4_000).collect();
    for _ in 0..3 {
        assert!(matches!(rig.pack(&noise, None), Body::Plain(_)));
        assert!(matches!(rig.pack(&noise, Some(&Body::Plain(noise.clone().into()))), Body::Plain(_)));
    }
    let secret = Rig { packer: Packer::new(true), ..Rig::new() };
    let origin = Arc::new(Origin::new(
        crate::kind::KindInfo::new("", "v1", "Secret", "secrets"),
        true,
        secret.origin.cache.clone(),
        secret.origin.reporter.clone(),
    ));
    for _ in 0..3 {
        let body = secret.relatives.pack(&benchmark_pod(0), None, &secret.packer, &origin);
        assert!(matches!(body, Body::Plain(_)));
    }
    assert!(secret.relatives.last.lock().is_none(), "nothing of it is kept elsewhere");
}

#[test]
fn strangers_are_rarely_compared_and_kin_is_found_again() {
    let rig = Rig::new();
    // One pod of each app.
    let strangers: Vec<Vec<u8>> = (0..100).map(|app| benchmark_pod(app * 40)).collect();
    let edited = strangers.iter().filter(|json| is_edited(&rig.pack(json, None))).count();
    assert_eq!(edited, 0);
    let pods: Vec<Body> = (0..40).map(|number| rig.pack(&benchmark_pod(number), None)).collect();
    let edited = pods.iter().filter(|body| is_edited(body)).count();
    assert!(edited >= 40 - 2 * STRANGERS as usize && is_edited(&pods[39]), "{edited}");
}

#[test]
fn many_threads_take_objects_in() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let rig = &rig;
            scope.spawn(move || {
                let mut before = None;
                for number in 0..200 {
                    let json = version(&benchmark_pod(thread * 10 + u64::from(number % 10)), number);
                    before = Some(rig.pack(&json, before.as_ref().filter(|_| number % 3 > 0)));
                }
            });
        }
    });
    drop(rig.relatives.last.lock().take());
    assert_eq!(rig.shared(), 0);
}

use informer_wire::ObjectKey;
use serde_json::json;

use super::super::testing;

use super::*;
use crate::kind::KindInfo;
use crate::source::{ByteStream, Request, SourceError};

struct Nobody;

impl ListWatch for Nobody {
    fn open(&self, _: Request) -> futures::future::BoxFuture<'static, Result<ByteStream, SourceError>> {
        unreachable!("nobody is asked")
    }
}

/// A scope that is complete up to version 100 and holds `n/a` at 90.
fn witness() -> Witness {
    testing::witness(Arc::new(Nobody), KindInfo::new("", "v1", "Pod", "pods"), &key(), "90")
}

fn key() -> ObjectKey {
    ObjectKey::namespaced("n", "a")
}

fn judged(version: &str, items: &serde_json::Value) -> Finding {
    let witness = witness();
    let body = json!({ "metadata": { "resourceVersion": version }, "items": items });
    let answer: ListAnswer = serde_json::from_value(body).unwrap();
    witness.judge(witness.last_seen(), &"100".into(), &version.into(), &answer.items)
}

fn item(name: &str, uid: &str, version: &str) -> serde_json::Value {
    json!([{ "metadata": { "name": name, "namespace": "n", "uid": uid, "resourceVersion": version } }])
}

#[test]
fn d15_what_an_answer_says_about_the_server() {
    let missing = Finding::Missing { key: key(), version: "120".into() };
    for (version, items, expected) in [
        ("100", item("a", "u", "90"), Finding::Same),
        ("120", item("a", "u", "110"), Finding::Same),
        // Deleted and created again: the watch brings both.
        ("120", item("a", "v", "110"), Finding::Same),
        ("99", item("a", "u", "90"), Finding::Rewound),
        ("120", item("a", "u", "89"), Finding::Rewound),
        ("120", item("a", "v", "90"), Finding::Rewound),
        ("120", json!([]), missing.clone()),
        ("120", json!(null), missing),
        // It does not look at the selector.
        ("120", item("b", "u", "110"), Finding::Same),
        ("abc", item("a", "u", "xyz"), Finding::Unknown),
        ("", json!([]), Finding::Unknown),
    ] {
        assert_eq!(judged(version, &items), expected, "{version} {items}");
    }
}

#[test]
fn an_object_that_was_deleted_while_the_server_was_asked_is_not_missing() {
    let witness = witness();
    let seen = witness.last_seen();
    witness.newest(|newest| newest.remove(&key()));
    assert_eq!(witness.judge(seen, &"100".into(), &"120".into(), &[]), Finding::Same);
}

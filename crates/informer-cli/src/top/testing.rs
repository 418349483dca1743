//! Documents for tests.

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::document::Document;
use super::keys::Key;
use super::layout::Size;
use super::source::Look;
use super::state::State;

pub(super) fn noon() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

/// What a program with these informers and queues says after so many seconds.
pub(super) fn said(second: u32, informers: &[Value], queues: &[Value]) -> Value {
    json!({ "uptimeSeconds": second, "informers": informers, "queues": queues, "objects": false })
}

pub(super) fn informer(name: &str, phase: &str, objects: u64, events: u64) -> Value {
    json!({
        "name": name, "resource": name, "apiVersion": "v1", "kind": "Pod", "sensitive": false, "synced": true, "stopped": false,
        "phase": phase, "objects": objects, "versionsAlive": objects + 2, "bytesAlive": objects * 1_200, "queued": 3,
        "queuedBytes": 4_096, "staleSeconds": 1.5, "wrongType": null, "managedFieldsCut": 0, "decodeHits": 12, "decodeMisses": 4,
        "decodedBytes": 2_048, "failures": 0, "lastFailure": null,
        "handlers": [
            { "name": "count", "synced": true, "backlog": 0, "merged": 0, "delivered": events, "panics": 0, "slow": 0,
              "slowestSeconds": 0.0004, "undecodable": 0 },
            { "name": "slow", "synced": false, "backlog": 17, "merged": 250, "delivered": 40, "panics": 2, "slow": 1,
              "slowestSeconds": 1.52, "undecodable": 0 },
        ],
        "scopes": [{
            "scope": "all namespaces", "phase": phase, "phaseSeconds": 192.4, "resourceVersion": "123456", "lastByteSeconds": 1.5,
            "lastEventSeconds": 3.2, "lastBookmarkSeconds": 50.0, "lists": 2, "watches": 3, "reconnects": 1, "streamingFallbacks": 0,
            "events": events, "bookmarks": 4, "relists": { "first": 1, "expired": 1 }, "lastError": null,
        }],
    })
}

pub(super) fn queue(name: &str, due: u64) -> Value {
    json!({ "name": name, "due": due, "later": 3, "working": 1, "oldestKey": "shop/web-00017", "oldestSeconds": 0.04,
            "longestRunningSeconds": 2.5, "runs": 1_000 + due, "failures": 12, "retries": 15 })
}

pub(super) fn document(json: &Value) -> Document {
    Document::read(json.clone()).expect("a document")
}

pub(super) fn look(json: &Value) -> Look {
    Look { at: noon(), second: 0.0, seen: Ok(document(json)) }
}

pub(super) fn state(width: usize, height: usize) -> State {
    State::new("http://localhost:9090", Size { width, height }, TimeZone::UTC)
}

/// One that has heard this.
pub(super) fn having_heard(width: usize, height: usize, documents: &[Value]) -> State {
    let mut state = state(width, height);
    documents.iter().for_each(|json| state.hear(look(json)));
    state
}

/// Presses the keys of this text, none of which may end it.
pub(super) fn type_in(state: &mut State, text: &str) {
    for letter in text.chars() {
        assert!(state.press(Key::Letter(letter)).is_continue(), "{letter:?}");
    }
}

pub(super) fn press(state: &mut State, key: Key) {
    assert!(state.press(key).is_continue(), "{key:?}");
}

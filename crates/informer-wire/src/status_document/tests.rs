use serde_json::json;

use super::*;

/// A document as programs have served it since there was one. Pages, scripts and `informer top` know these names.
const GOLDEN: &str = r#"{
    "instance": "0123456789abcdef",
    "uptimeSeconds": 12.345,
    "informers": [{
        "name": "pods", "resource": "pods", "apiVersion": "v1", "kind": "Pod", "sensitive": false, "synced": true,
        "stopped": false, "phase": "watching", "objects": 10, "versionsAlive": 12, "bytesAlive": 12000, "queued": 3,
        "queuedBytes": 4096, "staleSeconds": 1.5, "wrongType": null, "managedFieldsCut": 0, "decodeHits": 12,
        "decodeMisses": 4, "decodedBytes": 2048, "failures": 1, "lastFailure": "cannot watch pods",
        "handlers": [{
            "name": "audit", "synced": true, "backlog": 17, "merged": 250, "delivered": 40, "panics": 2, "slow": 1,
            "slowestSeconds": 1.52, "undecodable": 5
        }],
        "scopes": [{
            "scope": "all namespaces", "phase": "watching", "phaseSeconds": 192.4, "resourceVersion": "123456",
            "lastByteSeconds": 1.5, "lastEventSeconds": 3.2, "lastBookmarkSeconds": null, "lists": 2, "watches": 3,
            "reconnects": 1, "streamingFallbacks": 0, "events": 100, "bookmarks": 4, "relists": { "first": 1, "expired": 1 },
            "lastError": { "message": "overloaded", "httpStatus": 503, "secondsAgo": 60.0 }
        }]
    }],
    "queues": [{
        "name": "web", "due": 3, "later": 2, "working": 1, "oldestKey": "shop/web", "oldestSeconds": 1.5,
        "longestRunningSeconds": 0.02, "runs": 40, "failures": 5, "retries": 6
    }],
    "objects": true
}"#;

fn golden() -> Value {
    serde_json::from_str(GOLDEN).unwrap()
}

#[test]
fn a_document_is_read_and_written_as_it_always_was() {
    let document: StatusDocument = serde_json::from_value(golden()).unwrap();
    assert_eq!(serde_json::to_value(&document).unwrap(), golden());
    let pods = &document.informers[0];
    assert_eq!(
        (pods.objects, pods.phase.as_deref(), pods.handlers[0].backlog),
        (Some(10), Some("watching"), Some(17))
    );
    assert_eq!(pods.scopes[0].last_error.as_ref().unwrap().http_status, Some(503));
    // What is not known is there all the same.
    let empty = serde_json::to_value(InformerEntry::default()).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&empty), names(&golden()["informers"][0]));
}

#[test]
fn a_queue_is_an_entry_with_seconds() {
    let queue = QueueStatus {
        name: "web".into(),
        due: 3,
        later: 2,
        working: 1,
        oldest: Some(("shop/web".into(), Duration::from_millis(1_500))),
        longest_running: Some(Duration::from_micros(20_400)),
        runs: 40,
        failures: 5,
        retries: 6,
    };
    assert_eq!(serde_json::to_value(QueueEntry::from(queue)).unwrap(), golden()["queues"][0]);
}

#[test]
fn documents_of_other_versions_are_read_as_far_as_they_go() {
    let other = json!({
        "informers": [
            { "name": "old" },
            { "name": "new", "phase": 3, "objects": "many", "staleSeconds": 2, "handlers": { "a": 1 }, "future": [1],
              "scopes": [{ "scope": "all namespaces", "relists": { "moon": 2, "odd": "x" }, "lastError": "text" }, 5] },
            17,
        ],
        "queues": "none",
        "future": { "x": 1 },
    });
    let document: StatusDocument = serde_json::from_value(other).unwrap();
    let [old, new, none] = document.informers.as_slice() else { panic!("{document:#?}") };
    assert_eq!(*old, InformerEntry { name: Some("old".into()), ..InformerEntry::default() });
    assert_eq!((&new.phase, new.objects, new.stale_seconds, new.handlers.len()), (&None, None, Some(2.0), 0));
    assert_eq!(new.scopes[0].relists, BTreeMap::from([("moon".to_owned(), 2)]));
    assert_eq!((&new.scopes[0].last_error, &new.scopes[1]), (&None, &ScopeEntry::default()));
    assert_eq!((none, document.queues.len()), (&InformerEntry::default(), 0));
}

#[test]
fn without_a_list_of_informers_it_is_another_document() {
    for other in
        [json!({}), json!([]), json!("text"), json!({ "informers": 3 }), json!({ "informers": null })]
    {
        assert!(serde_json::from_value::<StatusDocument>(other.clone()).is_err(), "{other}");
    }
}

//! A recording of a real kube-apiserver that was written to by several clients, killed and started again. How it is made is in
//! `tests/e2e`: `KUBE_INFORMER_RECORD=1 cargo xtask e2e under_load_is_recorded`.

use informer_recording::{Recording, Speed};
use kube_informer::SharedInformer;
use tokio::time::timeout;

use crate::support::{PATIENCE, SECOND, Watched, pass};

const RECORDING: &[u8] = include_bytes!("under-load.recording");

/// The calls of the handler and the objects in the end, when it was recorded.
const SEEN: &str = include_str!("under-load.txt");

/// What a replay makes an informer do, in the form of `SEEN`.
async fn seen(recording: &Recording) -> String {
    let watched = Watched::with(SharedInformer::builder(recording.clone()).namespace("default"));
    timeout(PATIENCE, recording.wait_ended()).await.expect("it comes to its end");
    pass(SECOND).await;
    let short = |line: &String| {
        let fields: Vec<&str> = line.split(' ').collect();
        match fields[..] {
            ["added", key, version, "true"] => format!("added {key} {version} initial"),
            ["added", key, version, _] => format!("added {key} {version}"),
            ["updated", key, _, version] => format!("updated {key} {version}"),
            ["deleted", key, version, _] => format!("deleted {key} {version}"),
            _ => line.clone(),
        }
    };
    let mut lines: Vec<String> = watched.outcome().heard.iter().map(short).collect();
    // Which of those that are there at first comes first is not said.
    let initial = lines.iter().take_while(|line| line.ends_with("initial")).count();
    lines[..initial].sort();
    let listed = watched.informer.lister().list();
    let mut objects: Vec<String> =
        listed.iter().map(|map| format!("object {} {}", map.key(), map.resource_version())).collect();
    objects.sort();
    lines.extend(objects);
    lines.join("\n") + "\n"
}

#[tokio::test(start_paused = true)]
async fn a_real_server_under_load_is_replayed_as_it_was_seen() {
    assert!(RECORDING.len() < 200_000, "it is to stay small");
    let recording = Recording::from_bytes(RECORDING).expect("a recording");
    assert!(!recording.is_cut());
    for speed in [Speed::AsRecorded, Speed::Times(100.0), Speed::Fastest] {
        let recording = recording.clone().speed(speed);
        for recording in [recording.again(), recording] {
            let seen = seen(&recording).await;
            assert!(seen == SEEN, "{speed}: {} lines and {}", seen.lines().count(), SEEN.lines().count());
        }
    }
}

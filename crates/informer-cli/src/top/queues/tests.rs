use serde_json::{Value, json};

use super::*;
use crate::top::testing::{document, having_heard, queue, said};

const PLAIN: Palette = Palette { coloured: false };

fn text(lines: &[Line<'static>]) -> String {
    lines.iter().map(|line| format!("{}\n", line.to_string().trim_end())).collect()
}

/// Two looks, a second apart.
fn grown(name: &str) -> [Value; 2] {
    [(1, 1_000), (2, 1_020)].map(|(second, runs)| {
        let mut queue = queue(name, 4);
        queue["runs"] = runs.into();
        said(second, &[], &[queue])
    })
}

#[test]
fn the_oldest_key_has_a_place_at_80_columns_and_all_have_at_120() {
    let state = having_heard(80, 24, &grown("replicaset"));
    let titles = " QUEUE                 DUE  OLDEST  RUNS/S  FAIL/S  OLDEST KEY            FAILED";
    let row = "▸replicaset              4    40ms      20       0  shop/web-00017            12";
    assert_eq!(text(&table(&state, 1, 80, PLAIN)), format!("{titles}\n{row}\n"));
    let wanted = "RETRIES  RUNNING  LONGEST  LATER";
    assert!(text(&table(&state, 1, 121, PLAIN)).contains(wanted));
    for columns in 40..130 {
        let lines = table(&state, 1, columns, PLAIN);
        assert!(lines.iter().all(|line| line.width() <= columns), "{columns}: {lines:#?}");
    }
}

#[test]
fn one_is_shown_whole() {
    let key = format!("{}/{}", "n".repeat(63), "o".repeat(100));
    let mut documents = grown("replicaset");
    documents[1]["queues"][0]["oldestKey"] = key.as_str().into();
    documents[1]["queues"][0]["oldestSeconds"] = 0.0.into();
    let state = having_heard(80, 24, &documents);
    let queue = state.document().and_then(|document| document.queue("replicaset")).expect("the queue");
    let shown = text(&whole(queue, 80));
    let (above, rest) = shown.split_once("oldest key   ").expect("the key");
    let (told, below) = rest.split_once("due for").expect("its age");
    assert_eq!(above, "replicaset  queue\n\ndue          4\n");
    assert_eq!(told.split_whitespace().collect::<String>(), key, "whole");
    let wanted = "      <1ms
later        3
running      1
longest run  2.5s
runs         1020, 20/s
failed       12, 0/s
retries      15, 0/s
";
    assert_eq!(below, wanted);
}

#[test]
fn what_an_older_program_does_not_say_is_a_dash() {
    let read = document(&said(1, &[], &[json!({ "name": "old", "due": 1 })]));
    let shown = text(&whole(&read.queues[0], 40));
    assert!(shown.contains("due          1\n") && shown.contains("runs         –, –/s\n"), "{shown}");
}

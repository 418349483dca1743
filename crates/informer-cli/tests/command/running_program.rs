//! `diff --endpoint`: the caches of a running program beside the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::canned::{Answer, Canned};
use crate::support::{Running, Server, run, unread};

/// A running program: `watch` of so many kinds with an endpoint, and the address of that.
pub(crate) async fn program(mut command: std::process::Command, kinds: usize) -> (Running, String) {
    command.args(["--listen", "127.0.0.1:0"]);
    let mut watch = Running::start(command);
    let listening = watch.remark("listening at http://").await;
    let address =
        listening.trim().trim_start_matches("listening at ").trim_end_matches("/debug/informers").to_owned();
    for _kind in 0..kinds {
        watch.remark("in the cache").await;
    }
    (watch, address)
}

fn list(items: &[(&str, &str, &str, &str)]) -> Value {
    let item = |(name, uid, version, value): &(&str, &str, &str, &str)| json!({ "metadata": { "name": name, "namespace": "default", "uid": uid, "resourceVersion": version }, "data": { "a": value } });
    let items: Vec<_> = items.iter().map(item).collect();
    json!({ "kind": "ConfigMapList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": items })
}

/// A server whose list is what the function returns for the number of the request.
fn lists(answer: impl Fn(usize) -> Value + Send + Sync + 'static) -> Canned {
    let asked = Arc::new(AtomicUsize::new(0));
    Canned::start(move |path| match path {
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(String::new()),
        _ => Answer::json(200, &answer(asked.fetch_add(1, Ordering::SeqCst))),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_and_its_server_are_equal() {
    let server = Server::start().await;
    server.config_map("a", "<1> & \"2\" ☃").await;
    server.config_map("b", "2").await;
    server.secret("s", "hunter2").await;
    let (_program, address) = program(server.informer(&["watch", "cm,secrets", "-n", "shop"]), 2).await;
    let said = run(server.informer(&["diff", "--endpoint", &address, "cm"])).await;
    let wanted = "configmaps: the program and the server are equal, 2 objects\n";
    assert_eq!((said.code, said.out.as_str()), (0, wanted), "{said:?}");
    let said = run(server.informer(&["diff", "--endpoint", &address])).await;
    let wanted = "secrets: only versions were compared, because the kind is sensitive\n";
    assert_eq!((said.code, said.out.ends_with(wanted)), (0, true), "{said:?}");
    let said = run(server.informer(&["diff", "--endpoint", &address, "pods"])).await;
    assert_eq!(said.code, 2, "it has no such informer: {said:?}");
    let said = run(server.informer(&["diff", "--endpoint", "http://127.0.0.1:1", "cm"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("cannot read http://127.0.0.1:1/debug/digests"), "{said:?}");
    assert_eq!(run(server.informer(&["diff", "--endpoint", "nonsense"])).await.code, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn fractions_are_no_drift() {
    let fractions: Vec<f64> = (2_u32..2_000).map(|n| f64::from(n).sqrt() * 1e300).collect();
    let again =
        |fraction: f64| -> f64 { serde_json::from_str(&json!(fraction).to_string()).expect("a number") };
    let change =
        fractions.iter().filter(|fraction| again(again(**fraction)).to_bits() != again(**fraction).to_bits());
    assert!(change.count() > 0, "some change whenever they are written and read");
    let mut objects = list(&[("a", "u1", "1", "x")]);
    objects["items"][0]["fractions"] = json!(fractions);
    let server = lists(move |_| objects.clone());
    let (_program, address) = program(server.informer(&["watch", "configmaps", "--only-changes"]), 1).await;
    let said = run(server.informer(&["diff", "--endpoint", &address])).await;
    let equal = "configmaps: the program and the server are equal, 1 objects\n";
    assert_eq!((said.code, said.out.as_str()), (0, equal), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn drift_is_found_and_named() {
    let cached = list(&[
        ("same", "u1", "1", "x"),
        ("extra", "u2", "1", "x"),
        ("old", "u3", "1", "x"),
        ("content", "u4", "1", "x"),
    ]);
    let there = list(&[
        ("same", "u1", "1", "x"),
        ("missing", "u5", "2", "x"),
        ("old", "u3", "3", "y"),
        ("content", "u4", "1", "y"),
    ]);
    let (stale, server) = (lists(move |_| cached.clone()), lists(move |_| there.clone()));
    let (_program, address) = program(stale.informer(&["watch", "configmaps", "--only-changes"]), 1).await;
    let said = run(server.informer(&["diff", "--endpoint", &address])).await;
    let wanted = "\
default/content: version 1 in both, with another content
default/extra: not on the server; the program has version 1
default/missing: not in the program; the server has version 2
default/old: version 1 in the program, 3 on the server
";
    assert_eq!((said.code, said.out.as_str()), (1, wanted), "{said:?}");
    // The exit code is the answer also if nobody reads the rest.
    let (code, remarks) = unread(server.informer(&["diff", "--endpoint", &address])).await;
    assert!(code == 1 && remarks == said.err, "{code} {remarks}");
    let said = run(server.informer(&["diff", "--endpoint", &address, "-o", "json"])).await;
    let told: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(
        (said.code, &told["equal"], &told["comparedBy"]),
        (1, &json!(false), &json!("digest")),
        "{told}"
    );
    assert_eq!(
        told["different"][2],
        json!({ "key": "default/missing", "drift": "missing", "program": null, "server": "2" })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_is_no_drift() {
    let cached = list(&[("a", "u1", "1", "x"), ("b", "u2", "1", "x")]);
    let program_sees = cached.clone();
    let stale = lists(move |_| program_sees.clone());
    let (_program, address) = program(stale.informer(&["watch", "configmaps", "--only-changes"]), 1).await;
    // The first list has a version that the program does not have; then both have the same.
    let server = lists(move |number| match number {
        0 => list(&[("a", "u1", "7", "y"), ("b", "u2", "1", "x")]),
        _ => cached.clone(),
    });
    let said = run(server.informer(&["diff", "--endpoint", &address, "-o", "json"])).await;
    let told: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(
        (said.code, &told["equal"], &told["differedForAMoment"]),
        (0, &json!(true), &json!(1)),
        "{told}"
    );
    // An object that is another one at each look is not drift either.
    let server =
        lists(move |number| list(&[("a", "u1", &format!("{}", 7 + number), "y"), ("b", "u2", "1", "x")]));
    let said = run(server.informer(&["diff", "--endpoint", &address])).await;
    assert_eq!(said.code, 0, "{said:?}");
}

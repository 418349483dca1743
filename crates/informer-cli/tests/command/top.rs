//! `top` without a terminal.

use crate::running_program::program;
use crate::support::canned::{Answer, Canned};
use crate::support::controllers::controllers;
use crate::support::{Server, informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn a_running_program_is_printed_once() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    server.secret("s", "hunter2").await;
    let (_program, address) = program(server.informer(&["watch", "cm,secrets", "-n", "shop"]), 2).await;
    // The address of the page is that of the program.
    for address in [address.clone(), format!("{address}/debug/informers")] {
        let said = run(informer(&["top", "--endpoint", &address, "--once", "--interval", "200ms"])).await;
        assert_eq!(said.code, 0, "{said:?}");
        let lines: Vec<_> = said.out.lines().collect();
        assert!(
            lines[0].contains("● live") && lines[1].starts_with("● 2 of 2 synced · 2 objects"),
            "{said:?}"
        );
        assert!(lines[4].starts_with("configmaps        shop           ● watching"), "{said:?}");
        assert!(lines[5].starts_with("secrets           shop           ● watching"), "{said:?}");
        assert!(!said.out.contains("hunter2") && !said.out.contains('\u{1b}'), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn queues_are_printed_with_their_counts_and_rates() {
    let listening = controllers().await;
    let address = format!("http://{}", listening.address());
    let said = run(informer(&["top", "--endpoint", &address, "--once", "--interval", "200ms"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    let lines: Vec<_> = said.out.lines().skip(7).map(|line| line.split_whitespace().collect()).collect();
    let [titles, replicaset, ..]: &[Vec<_>] = &lines else { panic!("{said:?}") };
    assert_eq!(lines.len(), 4, "{said:?}");
    let titled = |title: &str| {
        // One title is of two words.
        let titles = titles.join(" ").replace("OLDEST KEY", "KEY");
        let place = titles.split(' ').position(|other| other == title).expect("a title");
        replicaset[place]
    };
    assert_eq!(
        ["QUEUE", "DUE", "KEY", "OLDEST", "LONGEST"].map(titled),
        ["replicaset", "7", "shop/web-00017", "40ms", "2.5s"]
    );
    assert_eq!(["RUNS", "FAILED", "RETRIES"].map(titled), ["24", "1", "2"], "at the second look");
    let rate = titled("RUNS/S").parse::<f64>().expect("a rate");
    assert!(rate > 0.0 && titled("FAIL/S") != "0", "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn own_informers_are_printed_once() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let said = run(server.informer(&["top", "cm", "-n", "shop", "--once"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.out.contains("configmaps in namespace \"shop\" of") && said.out.contains("1 of 1 synced"),
        "{said:?}"
    );
    let said = run(server.informer(&["top", "nonsense", "--once"])).await;
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("nonsense"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_shown_is_said() {
    let said = run(informer(&["top", "--endpoint", "http://127.0.0.1:1"])).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("not a terminal") && said.err.contains("--once"), "{said:?}");
    let said = run(informer(&["top", "--endpoint", "http://127.0.0.1:1", "--once"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("cannot read http://127.0.0.1:1/debug/informers"), "{said:?}");
    let said = run(informer(&["top", "--endpoint", "nonsense", "--once"])).await;
    assert_eq!(said.code, 2, "{said:?}");
    let other = Canned::start(|_| Answer::json(200, &serde_json::json!({ "hello": "world" })));
    let said = run(informer(&["top", "--endpoint", &other.url, "--once"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("does not answer as an informer-endpoint does"), "{said:?}");
}

/// Whoever answers at the address may not be the program that was meant.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let long = |status, begin: &str, megabytes: usize| {
        Answer::Body(status, "application/json", format!("{begin}{}", " ".repeat(megabytes << 20)))
    };
    let endless = Canned::start(move |_| long(200, "{\"informers\":[]}", 65));
    let said = run(informer(&["top", "--endpoint", &endless.url, "--once"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("/debug/informers: the answer is longer than 64 MiB\n"), "{said:?}");
    let refusing = Canned::start(move |_| Answer::Body(404, "text/plain", "no such page ".repeat(1_000)));
    let said = run(informer(&["top", "--endpoint", &refusing.url, "--once"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("/debug/informers: HTTP 404 Not Found: no such page no"), "{said:?}");
    assert!(said.err.len() < 1_000, "{said:?}");
}

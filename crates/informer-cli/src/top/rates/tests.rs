use serde_json::json;

use super::*;
use crate::top::testing::{document, informer, queue, said};

fn heard(rates: &mut Rates, second: u32, events: u64) -> Document {
    let mut document = document(&said(second, &[informer("pods", "watching", 1, events)], &[]));
    rates.measure(&mut document, 0.0);
    document
}

#[test]
fn a_rate_is_what_was_added_between_two_documents() {
    let mut rates = Rates::default();
    assert_eq!(heard(&mut rates, 10, 100).rate, None, "one is not enough");
    let second = heard(&mut rates, 12, 130);
    let pods = &second.informers[0];
    assert_eq!(
        (second.rate, pods.rate, pods.handlers[0].rate, pods.handlers[1].rate),
        (Some(15.0), Some(15.0), Some(15.0), Some(0.0))
    );
    assert_eq!(heard(&mut rates, 12, 140).rate, None, "no time has passed");
    assert_eq!(rates.history().collect::<Vec<_>>(), [15.0]);
}

#[test]
fn queues_grow_in_three_ways() {
    let mut rates = Rates::default();
    let mut rates_of = |second: u32, counts: [u64; 3]| {
        let mut web = queue("web", 1);
        [web["runs"], web["failures"], web["retries"]] = counts.map(Into::into);
        let mut document = document(&said(second, &[], &[web]));
        rates.measure(&mut document, 0.0);
        let web = &document.queues[0];
        [web.run_rate, web.failure_rate, web.retry_rate]
    };
    assert_eq!(rates_of(1, [100, 10, 20]), [None; 3]);
    assert_eq!(rates_of(3, [120, 16, 21]), [Some(10.0), Some(3.0), Some(0.5)]);
}

#[test]
fn a_program_that_was_started_again_counts_from_the_beginning() {
    let mut rates = Rates::default();
    heard(&mut rates, 100, 5_000);
    assert_eq!(heard(&mut rates, 2, 10).rate, None, "its clock went back");
    assert_eq!(heard(&mut rates, 3, 14).rate, Some(4.0));
    assert_eq!(heard(&mut rates, 5, 3).rate, None, "its counts went back");
}

#[test]
fn between_two_replicas_there_is_no_rate() {
    let mut rates = Rates::default();
    let mut rate_of = |second: u32, events: u64, instance: &str| {
        let mut said = said(second, &[informer("pods", "watching", 1, events)], &[queue("web", 1)]);
        said["instance"] = instance.into();
        let mut document = document(&said);
        rates.measure(&mut document, 0.0);
        (document.rate, document.informers[0].handlers[0].rate, document.queues[0].run_rate)
    };
    assert_eq!(rate_of(10, 100, "a"), (None, None, None));
    assert_eq!(rate_of(12, 120, "a"), (Some(10.0), Some(10.0), Some(0.0)));
    assert_eq!(rate_of(500, 90_000, "b"), (None, None, None), "one that is older and has counted more");
    assert_eq!(rate_of(501, 90_007, "b"), (Some(7.0), Some(7.0), Some(0.0)));
}

#[test]
fn a_handler_keeps_its_rate_when_one_before_it_goes() {
    let mut rates = Rates::default();
    let mut rates_of = |second: u32, handlers: &[(&str, u64)]| {
        let mut pods = informer("pods", "watching", 1, 0);
        let handlers = handlers.iter().map(|(name, calls)| json!({ "name": name, "delivered": calls }));
        pods["handlers"] = handlers.collect();
        let mut document = document(&said(second, &[pods], &[]));
        rates.measure(&mut document, 0.0);
        document.informers[0].handlers.iter().map(|handler| handler.rate).collect::<Vec<_>>()
    };
    rates_of(1, &[("gone", 5), ("same", 100), ("same", 1_000), ("last", 10)]);
    let rates = rates_of(2, &[("same", 101), ("same", 1_002), ("last", 13), ("new", 40)]);
    assert_eq!(rates, [Some(1.0), Some(2.0), Some(3.0), None]);
}

#[test]
fn without_a_clock_of_the_program_ours_is_used() {
    let mut rates = Rates::default();
    for (now, events, wanted) in [(1.0, 10, None), (3.0, 30, Some(10.0))] {
        let mut said = said(0, &[informer("pods", "watching", 1, events)], &[]);
        said["uptimeSeconds"] = serde_json::Value::Null;
        let mut document = document(&said);
        rates.measure(&mut document, now);
        assert_eq!(document.rate, wanted);
    }
}

#[test]
fn the_history_is_bounded() {
    let mut rates = Rates::default();
    (0..1_000).for_each(|second| drop(heard(&mut rates, second, second.into())));
    assert_eq!(rates.history().count(), HISTORY);
}

use serde_json::json;

use super::*;

#[test]
fn a_number_that_a_client_did_not_run_is_an_empty_cell() {
    let mut curves = Curves::new(&OBJECTS);
    let report = |cpu: f64| json!({ "sync": { "cpu": cpu } });
    curves.add("ours", 1_000, report(0.5));
    curves.add("ours", 10, report(0.25));
    curves.add("kube-rs", 1_000, report(1.0));
    let table = "| CPU s until synced |   10 | 1000 |\n\
                 |--------------------|-----:|-----:|\n\
                 | ours               | 0.25 | 0.50 |\n\
                 | kube-rs            |      | 1.00 |\n";
    assert!(curves.tables().contains(table), "{}", curves.tables());
}

#[test]
fn scenarios_are_read_as_they_are_written() {
    assert_eq!(HANDLERS.number(&HANDLERS.scenario(100)), Some(100));
    assert_eq!(HANDLERS.number(&OBJECTS.scenario(100)), None);
    assert_eq!(OBJECTS.number("sync"), None);
}

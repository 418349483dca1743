use std::path::Path;

use serde_json::json;

use super::*;
use crate::cli::Settings;
use crate::scenarios;

fn figures(runs: &[(&str, &str, Value)]) -> Figures {
    let run = |(scenario, participant, report): &(&str, &str, Value)| json!({ "scenario": scenario, "participant": participant, "run": 0, "load": 1.0, "report": report });
    let mut figures = Figures { machines: BTreeSet::new(), runs: Vec::new() };
    figures.add(&json!({ "machine": "one", "runs": runs.iter().map(run).collect::<Vec<_>>() })).unwrap();
    figures
}

fn updates(cpu: f64) -> Value {
    json!({ "arguments": ["--work=get", "--events=1000"], "events": { "cpu": cpu } })
}

fn synced(mib: f64) -> Value {
    json!({ "objects": 20_000, "sync": { "cpu": 0.5, "rss": mib * 1_048_576.0 } })
}

#[test]
fn a_line_is_of_medians_and_names_what_did_not_take_part() {
    let work = "work, one handler";
    let runs = [
        (work, "ours, unread", updates(0.02)),
        (work, "ours, unread", updates(0.01)),
        (work, "ours, unread", updates(0.09)),
        (work, "client-go", updates(0.08)),
        ("work, ten handlers", "kube-rs", updates(0.5)),
    ];
    let table = figures(&runs).table().unwrap();
    let line = table.lines().find(|line| line.contains("nobody reads")).unwrap();
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    assert_eq!(cells[2..7], ["20.0", "80.0", "0.25", "–", "–"], "{table}");
    assert!(!table.contains("until synced") && !table.contains("before"), "{table}");
    let former = (work, "before: ours, unread", updates(0.04));
    let table = figures(&[runs.as_slice(), &[former]].concat()).table().unwrap();
    assert!(table.contains("ours / before") && table.contains("|   40.0 |          0.50 |\n"), "{table}");
}

#[test]
fn files_may_be_of_other_scenarios_but_not_of_the_same() {
    let file = |scenario: &str| {
        json!({ "machine": "two", "runs": [
            { "scenario": scenario, "participant": "ours, packed", "report": synced(44.0) },
        ] })
    };
    let mut figures = figures(&[("sync", "ours, packed", synced(40.0)), ("queue", "ours", json!({}))]);
    assert!(figures.add(&file("sync")).unwrap_err().to_string().contains("`sync`"));
    figures.add(&file("queue")).unwrap();
    figures.add(&file("latency")).unwrap();
    let tables = figures.tables(&settings()).unwrap();
    assert!(tables.contains("Measured on: one; two."), "{tables}");
}

fn settings() -> Settings {
    Settings::parse(std::iter::empty()).unwrap().unwrap()
}

#[test]
fn figures_that_were_not_measured_are_not_quoted() {
    let quoted = figures(&[("sync", "kube-rs", synced(1_168.6))]).quoted();
    assert!(quoted.contains("\nmemory = { unit = \"MiB\", kube-rs = 1169 }\n"), "{quoted}");
    assert!(!quoted.contains("update = "), "{quoted}");
}

#[test]
fn a_scenario_has_tables_of_its_raw_figures_alone() {
    let tables = figures(&[("sync", "ours, packed", synced(40.0)), ("sync", "a bare reader", synced(1.0))]);
    let tables = tables.tables(&settings()).unwrap();
    assert!(tables.contains("\n## 20,000 pods, then 50,000 updates"), "{tables}");
    assert!(tables.contains("| ours, packed  |") && tables.contains("| a bare reader |"), "{tables}");
    assert!(!tables.contains("ConfigMaps"), "{tables}");
}

/// `cargo xtask bench --summary docs/benchmarks/raw/main.json docs/benchmarks/raw/growth.json` writes them.
#[test]
fn the_tables_of_the_documentation_are_those_of_its_raw_figures() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks");
    let raw = ["main.json", "growth.json"].map(|file| docs.join("raw").join(file));
    let figures = Figures::read(&raw).unwrap();
    let is_written = |file: &str, text: &str| fs::read_to_string(docs.join(file)).unwrap() == text;
    assert!(is_written(TABLES, &figures.tables(&settings()).unwrap()), "{TABLES} is old");
    assert!(is_written(QUOTED, &figures.quoted()), "{QUOTED} is old");
}

#[test]
fn without_figures_there_is_no_table() {
    let none = figures(&[("growth, 10 handlers", "ours, packed", synced(1.0))]);
    assert!(none.table().unwrap_err().to_string().contains("no figures"));
    assert!(Figures::read(&["missing.json".into()]).err().unwrap().to_string().contains("missing.json"));
}

#[test]
fn the_picture_is_of_all_clients_or_there_is_none() {
    let work = "work, one handler";
    let mut all = vec![
        (work, "ours, unread", updates(0.01)),
        (work, "ours, view()", updates(0.02)),
        (work, "ours, get()", updates(0.03)),
        (work, "client-go", updates(0.05)),
        (work, "kube-rs", updates(0.09)),
        ("sync", "ours, packed", synced(40.0)),
        ("sync", "client-go, protobuf", synced(480.0)),
    ];
    assert!(figures(&all).picture().is_none());
    all.push(("sync", "kube-rs", synced(1_168.0)));
    let picture = figures(&all).picture().unwrap();
    let values: Vec<Vec<f64>> =
        picture.panels.iter().map(|panel| panel.bars.iter().map(|bar| bar.value.round()).collect()).collect();
    assert!(picture.panels[1].title.contains("20,000 pods"));
    assert_eq!(values, [vec![10.0, 20.0, 30.0, 50.0, 90.0], vec![40.0, 480.0, 1_168.0]]);
}

#[test]
fn every_figure_that_is_quoted_is_a_line() {
    for (name, title, unit) in figures::QUOTED {
        assert!(LINES.iter().any(|line| line.title == title), "{name}: {title}");
        assert!(title.ends_with(&format!(", {unit}")), "{name}: {title}");
    }
}

/// A row that is renamed must be renamed here too: otherwise its line would silently be gone.
#[test]
fn every_line_is_about_rows_that_there_are() {
    let settings = Settings::parse(std::iter::empty()).unwrap().unwrap();
    let scenarios = scenarios::all(&settings);
    for line in &LINES {
        let name = line.scenario.trim_end_matches(", live heap");
        let scenario = scenarios.iter().find(|scenario| scenario.raw_name() == name);
        let scenario = scenario.unwrap_or_else(|| panic!("there is no scenario {name}"));
        for participant in line.participants.iter().filter(|participant| !participant.is_empty()) {
            let labels: Vec<&str> = scenario.participants.iter().map(|it| it.label.as_str()).collect();
            assert!(labels.contains(participant), "{name} has no {participant}: {labels:?}");
        }
    }
}

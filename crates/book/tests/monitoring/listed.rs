//! The documentation lists every metric: that of informer-endpoint those of informers, that of informer-controller its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Names, each with its type.
type Metrics = BTreeMap<String, String>;

fn crates(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The table below the heading `Metrics` in the documentation of a crate. `prefix` is what the names there leave out.
fn listed(library: &str, prefix: &str) -> Metrics {
    let text = read(&crates(library).join("src/lib.rs"));
    let (_, section) = text.split_once("//! # Metrics\n").unwrap();
    let rows = section.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let rows = rows.filter(|row| row.starts_with("| `"));
    let mut metrics = Metrics::new();
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        for name in cells[0].split(", ") {
            let name = format!("{prefix}{}", name.trim_matches('`'));
            assert!(metrics.insert(name.clone(), cells[1].to_owned()).is_none(), "{name} is listed twice");
        }
    }
    metrics
}

/// The names between `before` and a quote.
fn named<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = String> + 'a {
    text.split(before).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
}

#[test]
fn every_metric_of_informers_is_listed() {
    let help = read(&crates("kube-informer/src/metrics/help.rs"));
    let mut described = Metrics::new();
    for table in help.split("\nconst ").skip(1) {
        let (name, table) = table.split_once(':').unwrap();
        let kind = name.to_lowercase().trim_end_matches('s').to_owned();
        described.extend(named(table, "\"informer_").map(|name| (format!("informer_{name}"), kind.clone())));
    }
    assert!(described.len() > 20, "they are found: {described:?}");
    assert_eq!(listed("informer-endpoint", "informer_"), described);
}

#[test]
fn every_metric_of_controllers_is_listed() {
    let mut meters = Vec::new();
    sources(&crates("informer-controller/src"), &mut meters);
    let mut recorded = Metrics::new();
    for meter in meters {
        let text = read(&meter).replace("describe_", "");
        for kind in ["counter", "gauge", "histogram"] {
            recorded.extend(named(&text, &format!("{kind}!(\"")).map(|name| (name, kind.to_owned())));
        }
    }
    assert!(recorded.len() > 20, "they are found: {recorded:?}");
    assert_eq!(listed("informer-controller", ""), recorded);
}

/// The files of a crate, without its tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if path.is_file() && name != "tests.rs" {
            found.push(path);
        }
    }
}

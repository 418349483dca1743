use serde_json::json;

use super::*;

#[test]
fn plots_are_written_beside_the_figures_but_not_into_raw() {
    assert_eq!(beside(Path::new("/bench/results/now.json")), Path::new("/bench/results"));
    assert_eq!(beside(Path::new("/docs/benchmarks/raw/growth.json")), Path::new("/docs/benchmarks"));
    assert_eq!(beside(Path::new("/docs/uncooked-raw/growth.json")), Path::new("/docs/uncooked-raw"));
}

#[test]
fn other_scenarios_and_subjects_are_left_out() {
    let run = |scenario: &str| json!({ "scenario": scenario, "participant": "ours", "report": {} });
    let runs = [run("sync"), run("growth, 10 handlers"), run("queue")];
    assert!(curves(&OBJECTS, &runs).is_empty());
    assert!(!curves(&HANDLERS, &runs).is_empty());
    assert!(curves(&HANDLERS, &[json!("none")]).is_empty());
}

#[test]
fn files_without_growth_and_files_that_are_none_are_named() {
    let manifest = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    assert!(format!("{:#}", run(manifest, None).unwrap_err()).contains("Cargo.toml"));
    assert!(format!("{:#}", run(Path::new("missing.json"), None).unwrap_err()).contains("missing.json"));
}

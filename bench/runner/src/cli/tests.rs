use super::*;

fn parse(line: &str) -> Result<Option<Settings>> {
    Settings::parse(line.split_whitespace().map(str::to_owned))
}

#[test]
fn scenarios_and_options_are_understood() {
    let settings = parse("--quick sync reads").unwrap().unwrap();
    assert!(settings.quick && settings.runs == 1);
    assert!(settings.wants("sync") && settings.wants("reads") && !settings.wants("stuck"));
    assert!(parse("").unwrap().unwrap().wants("stuck"));
    assert!(parse("queue").unwrap().unwrap().wants_only("queue"));
    assert!(!parse("queue sync").unwrap().unwrap().wants_only("queue"));
    assert!(!parse("").unwrap().unwrap().wants_only("queue"));
    assert!(parse("--help").unwrap().is_none());
}

#[test]
fn mistakes_are_explained() {
    assert!(parse("snyc").unwrap_err().to_string().contains("no scenario or option `snyc`"));
    assert!(parse("--runs many").unwrap_err().to_string().contains("--runs many"));
}

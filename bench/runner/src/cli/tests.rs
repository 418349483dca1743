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
fn raw_figures_are_drawn_instead_of_a_run() {
    let settings = parse("--redraw raw/growth.json --plots here").unwrap().unwrap();
    assert_eq!(settings.redraw, Some("raw/growth.json".into()));
    assert_eq!(settings.plots, Some("here".into()));
    for line in ["--redraw a.json sync", "--quick --redraw a.json"] {
        assert!(parse(line).unwrap_err().to_string().contains("--redraw runs nothing"), "{line}");
    }
    assert!(parse("--redraw").unwrap_err().to_string().contains("needs a file"));
}

#[test]
fn mistakes_are_explained() {
    assert!(parse("snyc").unwrap_err().to_string().contains("no scenario or option `snyc`"));
    assert!(parse("--runs many").unwrap_err().to_string().contains("--runs many"));
}

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
fn a_summary_is_of_files_and_instead_of_a_run() {
    let settings = parse("--summary raw/sync.json sync --plots here").unwrap().unwrap();
    assert_eq!(settings.summary, Some(vec!["raw/sync.json".into(), "sync".into()]));
    assert_eq!(settings.plots, Some("here".into()));
    for line in ["sync --summary a.json", "--summary a.json --quick", "--summary a.json --before b"] {
        assert!(parse(line).unwrap_err().to_string().contains("--summary runs nothing"), "{line}");
    }
    assert!(parse("--summary").unwrap_err().to_string().contains("needs files"));
    assert!(parse("--summary a.json --sumary").unwrap_err().to_string().contains("no scenario or option"));
}

#[test]
fn an_earlier_program_takes_part() {
    let settings = parse("--before old/client-ours sync").unwrap().unwrap();
    assert_eq!(settings.before, Some("old/client-ours".into()));
    assert!(parse("--before").unwrap_err().to_string().contains("needs a program"));
    assert!(parse("--before a --redraw b").unwrap_err().to_string().contains("--redraw runs nothing"));
}

#[test]
fn mistakes_are_explained() {
    assert!(parse("snyc").unwrap_err().to_string().contains("no scenario or option `snyc`"));
    assert!(parse("--runs many").unwrap_err().to_string().contains("--runs many"));
}

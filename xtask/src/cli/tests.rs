use super::*;

fn parse_line(line: &str) -> Result<Command> {
    parse(line.split_whitespace().map(str::to_owned))
}

#[test]
fn every_command_of_the_help_is_known() {
    let commands = HELP.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let expected = [
        "ci",
        "e2e",
        "soak",
        "differential",
        "lint",
        "codegen",
        "doc",
        "book",
        "dist",
        "face",
        "msrv",
        "deny",
        "page",
        "publish",
        "tidy",
        "bench",
        "help",
    ];
    assert_eq!(names, expected);
    for name in names {
        parse_line(name).unwrap();
    }
}

#[test]
fn arguments_go_to_the_commands_that_take_them() {
    assert_eq!(parse_line("page").unwrap(), Command::Page(Asked::default()));
    let both = Asked { pictures: true, figures: true };
    assert_eq!(parse_line("page --pictures --figures").unwrap(), Command::Page(both));
    assert_eq!(parse_line("doc --open").unwrap(), Command::Doc { open: true });
    assert_eq!(parse_line("ci --long").unwrap(), Command::Ci { long: true });
    assert_eq!(parse_line("lint --every").unwrap(), Command::Lint { every: true });
    assert_eq!(parse_line("codegen --check").unwrap(), Command::Codegen { check: true });
    assert_eq!(parse_line("e2e relist").unwrap(), Command::E2e { filters: vec!["relist".to_owned()] });
    let soak = Soak { minutes: 60, seed: Some(7), step: None, report: Some("table.md".to_owned()) };
    assert_eq!(parse_line("soak --seed 7 --minutes 60 --report table.md").unwrap(), Command::Soak(soak));
    let differential = Differential { rounds: 50, seed: Some(7) };
    assert_eq!(parse_line("differential --rounds 50 --seed 7").unwrap(), Command::Differential(differential));
    assert_eq!(parse_line("ci --help").unwrap(), Command::Help);
    let arguments = vec!["--quick".to_owned(), "--help".to_owned()];
    assert_eq!(parse_line("bench --quick --help").unwrap(), Command::Bench { arguments });
}

#[test]
fn mistakes_are_explained() {
    assert!(parse_line("").unwrap_err().to_string().contains("Usage:"));
    assert!(parse_line("tset").unwrap_err().to_string().contains("no command `tset`"));
    assert!(parse_line("soak --minutes").unwrap_err().to_string().contains("needs a value"));
    assert!(parse_line("soak --minutes x").unwrap_err().to_string().contains("not a number"));
    assert!(parse_line("soak --hours 1").unwrap_err().to_string().contains("does not take `--hours`"));
    assert!(parse_line("differential --rounds x").unwrap_err().to_string().contains("not a number"));
    assert!(parse_line("tidy up").unwrap_err().to_string().contains("does not take `up`"));
}

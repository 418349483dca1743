//! `man`.

use crate::support::{informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn every_subcommand_has_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut man = informer(&["man"]);
    man.arg(directory.path());
    let said = run(man).await;
    assert_eq!(said.code, 0, "{said:?}");
    let help = run(informer(&["--help"])).await.out;
    let (_, commands) = help.split_once("Commands:\n").expect("subcommands");
    let commands: Vec<_> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 9 && commands.contains(&"watch"), "{commands:?}");
    for name in commands {
        let page = directory.path().join(format!("informer-{name}.1"));
        let page = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{name}: {error}"));
        for part in [".TH", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(part), "{name} has {part}: {page}");
        }
    }
    let whole = run(informer(&["man"])).await;
    let written = std::fs::read_to_string(directory.path().join("informer.1")).expect("the page of all");
    assert_eq!((whole.code, whole.out.contains(".SH SUBCOMMANDS")), (0, true));
    assert!(written.contains(".SH SUBCOMMANDS"), "{written}");
    let said = run(informer(&["man", "/nowhere/at/all"])).await;
    assert!(said.code == 4 && said.err.contains("cannot write manual pages to /nowhere/at/all"), "{said:?}");
}

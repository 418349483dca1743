//! The command prints what pages show whose numbers differ from run to run, or whose commands need files.

use std::path::Path;

use crate::support::{informer, run};

/// The commands of the page, each with the lines of its output; `…` stands for any others.
fn quoted(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("its end");
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => found.push((command.to_owned(), Vec::new())),
                None => found.last_mut().expect("a command").1.push(line.to_owned()),
            }
        }
    }
    found
}

/// A line without what differs from run to run: numbers and their units.
fn masked(line: &str) -> String {
    let words = line.split_whitespace().filter(|word| !["B", "KiB", "MiB"].contains(word));
    let masked = words.map(|word| {
        if word.contains(|c: char| c.is_ascii_digit()) && !word.contains('/') { "n" } else { word }
    });
    masked.collect::<Vec<_>>().join(" ")
}

/// The simulation is the same in every run, but on a busy machine its first steps may be over before they are watched.
const ATTEMPTS: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn the_page_about_recordings_quotes_what_is_printed() {
    prints("recording.md", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_about_top_quotes_what_is_printed() {
    prints("top.md", 1).await;
}

/// Runs the commands of a page, which are so many.
async fn prints(page: &str, commands: usize) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let quoted = quoted(&std::fs::read_to_string(page).expect("the page"));
    assert_eq!(quoted.len(), commands, "commands are found");
    let mut missing = Vec::new();
    for _ in 0..ATTEMPTS {
        match printed(&quoted).await {
            Ok(()) => return,
            Err(what) => missing.push(what),
        }
    }
    panic!("{}", missing.join("\n"));
}

/// Runs the commands one after the other. The error says which line is missing.
async fn printed(quoted: &[(String, Vec<String>)]) -> Result<(), String> {
    let directory = tempfile::tempdir().expect("a directory");
    for (command, lines) in quoted {
        let arguments: Vec<&str> =
            command.strip_prefix("informer ").expect("a command of ours").split(' ').collect();
        let mut informer = informer(&arguments);
        informer.current_dir(directory.path());
        let said = run(informer).await;
        assert_eq!(said.code, 0, "{command}: {said:?}");
        let printed: Vec<String> = said.err.lines().chain(said.out.lines()).map(masked).collect();
        let mut rest = &printed[..];
        for line in lines.iter().filter(|line| *line != "…") {
            let at = rest.iter().position(|printed| *printed == masked(line));
            rest = &rest[at.ok_or_else(|| format!("{command}: {line:?} is not in {rest:#?}"))?..];
        }
    }
    Ok(())
}

//! The command prints what README.md and the pages of the book show.
//!
//! Every block marked `console` has lines `$ COMMAND`, each followed by lines of its output; `…` stands for any others.
//! Times and ages differ from run to run and are not compared.

use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::support::{Running, informer};

/// The simulation is the same in every run, but on a busy machine two of its steps may be merged into one event.
const ATTEMPTS: usize = 3;

/// The time limit of one attempt.
const PATIENCE: Duration = Duration::from_secs(20);

struct Quoted {
    /// Where it is quoted.
    page: String,
    command: String,
    lines: Vec<String>,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_readme_and_the_book_quote_what_is_printed() {
    let quoted: Vec<Quoted> = pages().iter().flat_map(|(page, text)| quoted(page, text)).collect();
    for page in ["README.md", "command.md", "getting-started.md", "freshness.md"] {
        assert!(quoted.iter().any(|quoted| quoted.page == page), "commands of {page} are found");
    }
    for quoted in &quoted {
        let mut missing = String::new();
        let mut right = false;
        for _ in 0..ATTEMPTS {
            match prints(quoted).await {
                Ok(()) => right = true,
                Err(line) => missing = line,
            }
            if right {
                break;
            }
        }
        let Quoted { page, command, .. } = quoted;
        assert!(right, "{page}: `{command}` does not print, at its place: {missing}");
    }
}

/// Pages that have tests of their own.
const ELSEWHERE: [&str; 2] = ["recording.md", "top.md"];

/// README.md and the pages of the book: name and text.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = std::fs::read_dir(root.join("docs")).expect("the book");
    let paths = docs.map(|entry| entry.expect("a page").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let paths = paths.chain([root.join("README.md")]).filter(|path| !path.ends_with("docs/README.md"));
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a page"))
    };
    paths.map(read).filter(|(name, _)| !ELSEWHERE.contains(&&**name)).collect()
}

/// Runs the command until it has printed all lines. The error says what it printed in place of the first missing one.
async fn prints(quoted: &Quoted) -> Result<(), String> {
    let arguments = ["cargo run -- ", "informer "];
    let arguments = arguments.iter().find_map(|program| quoted.command.strip_prefix(program));
    let arguments: Vec<_> = arguments.expect("a command of ours").split(' ').collect();
    let mut running = Running::start_merged(informer(&arguments));
    let deadline = Instant::now() + PATIENCE;
    let mut elided = false;
    for line in &quoted.lines {
        if line == "…" {
            elided = true;
            continue;
        }
        loop {
            let printed = timeout_at(deadline, running.line()).await;
            let printed = printed.map_err(|_| format!("{line:?} in time"))?;
            if printed.is_empty() {
                return Err(format!("{line:?}; it has ended"));
            }
            if masked(printed.trim_end()) == masked(line) {
                break;
            }
            // Updates of other deployments may come in between.
            if !elided && !line.contains("UPDATED") {
                return Err(format!("{line:?} but {printed:?}"));
            }
        }
        elided = false;
    }
    Ok(())
}

fn quoted(page: &str, text: &str) -> Vec<Quoted> {
    let mut found: Vec<Quoted> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            _ if line.starts_with("```") => inside = line == "```console",
            _ if !inside => {}
            Some(command) => {
                let (page, command) = (page.to_owned(), command.to_owned());
                found.push(Quoted { page, command, lines: Vec::new() });
            }
            None => found.last_mut().expect("a command first").lines.push(line.to_owned()),
        }
    }
    found
}

/// Without times (`12:13:56`), ages (`3s`) and the spaces between columns.
fn masked(line: &str) -> String {
    let is_time =
        |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_age = |word: &str| {
        let digits = word.trim_end_matches(['s', 'm']);
        digits.len() + 1 == word.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mask = |word| if is_time(word) || is_age(word) { "*" } else { word };
    line.split_whitespace().map(mask).collect::<Vec<_>>().join(" ")
}

#[test]
fn only_times_are_masked() {
    assert_eq!(masked("12:13:56 ADDED  pod a/b  ready 3/3"), "* ADDED pod a/b ready 3/3");
    assert_eq!(masked("node-1   Ready   12s"), "node-1 Ready *");
    assert_ne!(masked("spec.replicas 3 → 4"), masked("spec.replicas 3 → 5"));
}

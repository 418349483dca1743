use std::ffi::OsStr;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::command;

fn help(program: &str, arguments: &[&str]) -> String {
    let arguments = [&[program], arguments, &["--help"]].concat();
    command(OsStr::new(program)).try_get_matches_from(arguments).unwrap_err().to_string()
}

#[test]
fn help_names_the_command_as_it_was_called() {
    let plugin = help("/usr/local/bin/kubectl-informer", &["watch"]);
    assert!(plugin.contains("Usage: kubectl informer watch"), "{plugin}");
    assert!(plugin.contains("\n  kubectl informer watch deployments\n"), "{plugin}");
    let command = help("informer", &["watch"]);
    assert!(command.contains("Usage: informer watch"), "{command}");
    assert!(!command.contains("kubectl informer"), "{command}");
}

#[test]
fn every_example_of_the_plugin_is_one_of_kubectl() {
    let subcommands: Vec<String> =
        command(OsStr::new("informer")).get_subcommands().map(|it| it.get_name().to_owned()).collect();
    assert!(subcommands.len() > 4, "they are found");
    for subcommand in subcommands {
        let help = help("kubectl-informer", &[&subcommand]);
        assert!(!help.contains("\n  informer "), "{help}");
    }
}

/// README.md and the pages of the book: name and text.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|page| page.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let read = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap())
    };
    pages.chain([root.join("README.md")]).map(read).collect()
}

fn parsed(line: &str) -> Result<(), clap::Error> {
    command(OsStr::new("informer")).try_get_matches_from(line.split_whitespace()).map(drop)
}

/// What the book tells people to type, in blocks marked `sh`; those marked `console` are run by other tests.
#[test]
fn the_commands_of_the_book_are_understood() {
    let mut understood = 0;
    for (page, text) in pages() {
        let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        for line in blocks.flat_map(str::lines) {
            let line = line.split(['>', '|', '&', '#']).next().unwrap();
            let call = line.strip_prefix("kubectl ").unwrap_or(line);
            if !call.starts_with("informer ") {
                continue;
            }
            if let Err(error) = parsed(call) {
                panic!("{page}: `{line}`: {error}");
            }
            understood += 1;
        }
    }
    assert!(understood >= 3, "they are found");
}

/// What the text of a page has between single backticks, outside of blocks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|text| text.split('`').skip(1).step_by(2))
}

/// Text may leave out what a command or an option needs, as in `informer watch` or `--until`.
fn is_understood(line: &str) -> Result<(), clap::Error> {
    parsed(line).or_else(|error| match error.kind() {
        ErrorKind::MissingRequiredArgument | ErrorKind::DisplayHelp => Ok(()),
        ErrorKind::InvalidValue if is_without_value(&error) => Ok(()),
        _ => Err(error),
    })
}

fn is_without_value(error: &clap::Error) -> bool {
    matches!(error.get(ContextKind::InvalidValue), Some(ContextValue::String(value)) if value.is_empty())
}

#[test]
fn commands_in_the_text_of_the_book_are_understood() {
    let mut understood = 0;
    for (page, text) in pages() {
        for span in spans(&text).filter(|span| span.starts_with("informer ")) {
            if let Err(error) = is_understood(span) {
                panic!("{page}: `{span}`: {error}");
            }
            understood += 1;
        }
    }
    assert!(understood >= 20, "they are found: {understood}");
    assert!(is_understood("informer watch --no-such-option").is_err());
    assert!(is_understood("informer watch pods --for soon").is_err());
}

#[test]
fn options_in_the_text_of_the_page_about_the_command_are_those_of_get_or_watch() {
    let (_, text) = pages().into_iter().find(|(page, _)| page == "command.md").unwrap();
    let mut understood = 0;
    for span in spans(&text).filter(|span| span.starts_with('-')) {
        let answers = ["get", "watch"].map(|action| is_understood(&format!("informer {action} pods {span}")));
        if let [Err(get), Err(watch)] = answers {
            panic!("`{span}`: {get}\n{watch}");
        }
        understood += 1;
    }
    assert!(understood >= 15, "they are found: {understood}");
}

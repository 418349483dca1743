use std::ffi::OsStr;

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

/// What the book tells people to type, in blocks marked `sh`; those marked `console` are run by other tests.
#[test]
fn the_commands_of_the_book_are_understood() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut understood = 0;
    for page in std::fs::read_dir(docs).unwrap().map(|page| page.unwrap().path()) {
        if page.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&page).unwrap();
        let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        for line in blocks.flat_map(str::lines) {
            let line = line.split(['>', '|', '&', '#']).next().unwrap();
            let call = line.strip_prefix("kubectl ").unwrap_or(line).strip_prefix("informer ");
            let Some(arguments) = call else { continue };
            let arguments = ["informer"].into_iter().chain(arguments.split_whitespace());
            if let Err(error) = command(OsStr::new("informer")).try_get_matches_from(arguments) {
                panic!("{}: `{line}`: {error}", page.display());
            }
            understood += 1;
        }
    }
    assert!(understood >= 3, "they are found");
}

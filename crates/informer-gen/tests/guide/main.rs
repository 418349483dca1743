//! The files in the guide are those of its example project.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The code blocks of the guide that follow a line such as "`src/kinds.rs`:", with that name.
fn files_of_the_guide() -> Vec<(String, String)> {
    let guide = fs::read_to_string(workspace().join("docs/custom-kinds.md")).unwrap();
    let mut files = Vec::new();
    for part in guide.split("`:\n\n```").skip(1) {
        let (_, rest) = part.split_once('\n').unwrap();
        let (code, _) = rest.split_once("```").unwrap();
        let before = &guide[..guide.find(part).unwrap() - "`:\n\n```".len()];
        files.push((before.rsplit('`').next().unwrap().to_owned(), code.to_owned()));
    }
    files
}

#[test]
fn the_files_of_the_guide_are_those_of_the_example() {
    let files = files_of_the_guide();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["src/kinds.rs", "informers.toml", "src/main.rs", "src/tests.rs"]);
    for (name, shown) in files {
        let path = workspace().join("examples/custom-kind").join(&name);
        let real = fs::read_to_string(&path).unwrap();
        assert!(real.contains(shown.trim_end()), "{name} of the guide is not (a part of) {}", path.display());
    }
}

#[test]
fn the_generated_file_of_the_example_is_up_to_date() {
    let output = Command::new(env!("CARGO_BIN_EXE_informer-gen"))
        .current_dir(workspace().join("examples/custom-kind"))
        .args(["informers.toml", "--out", "src/informers.rs", "--check"])
        .args(["--max-width", "110", "--call-width", "110"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

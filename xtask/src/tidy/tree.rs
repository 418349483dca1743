//! The text files of the project, as the rules see them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, ensure};

use crate::tidy::code;

/// One text file.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// From the root of the project, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
    code: OnceLock<String>,
}

impl SourceFile {
    pub(crate) fn new(path: &str, text: String) -> Self {
        Self { path: path.to_owned(), text, code: OnceLock::new() }
    }

    /// The text with comments, strings and characters emptied; every line keeps its number.
    pub(crate) fn code(&self) -> &str {
        self.code.get_or_init(|| code::of(&self.text))
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// Whether it lies in a directory `tests`, whose files are test programs of their own.
    pub(crate) fn is_in_tests_directory(&self) -> bool {
        self.path.split('/').rev().skip(1).any(|part| part == "tests")
    }

    /// Whether it is nothing but tests.
    pub(crate) fn is_test(&self) -> bool {
        self.is_in_tests_directory() || self.name() == "tests.rs"
    }

    /// The lines, numbered from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The lines, numbered from 1, up to a test module in the file: by convention that is its end.
    pub(crate) fn lines_before_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().take(self.before_tests())
    }

    /// The same of the code.
    pub(crate) fn code_before_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code().lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.take(self.before_tests())
    }

    fn before_tests(&self) -> usize {
        let lines: Vec<&str> = self.text.lines().collect();
        let tests = lines.windows(2).position(|pair| {
            pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
        });
        tests.unwrap_or(lines.len())
    }

    /// The lines below a header of a manifest, up to the next.
    pub(crate) fn section<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let header = format!("[{name}]");
        self.text
            .lines()
            .skip_while(move |line| line.trim() != header)
            .skip(1)
            .take_while(|line| !line.trim_start().starts_with('['))
    }
}

/// All text files that are, or will be, in the repository.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: Vec<SourceFile>,
    /// Of files that are not text, too, and of the directories of all.
    paths: BTreeSet<String>,
}

impl Tree {
    /// Reads what git tracks, and what is new and not ignored.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .context("cannot run git, which knows the files of the project")?;
        ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim());
        let mut tree = Self::default();
        for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
            // One that git tracks may be deleted in the working tree.
            if let Ok(bytes) = std::fs::read(root.join(path)) {
                tree.add(path, String::from_utf8(bytes).ok());
            }
        }
        Ok(tree)
    }

    fn add(&mut self, path: &str, text: Option<String>) {
        self.paths.insert(path.to_owned());
        self.paths.extend(path.match_indices('/').map(|(end, _)| path[..end].to_owned()));
        if let Some(text) = text {
            self.files.push(SourceFile::new(path, text));
        }
    }

    pub(crate) fn files(&self) -> &[SourceFile] {
        &self.files
    }

    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is_rust())
    }

    pub(crate) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The paths of all files, also of those that are not text.
    pub(crate) fn paths_of_files(&self, root: &Path) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str).filter(move |path| root.join(path).is_file())
    }

    /// Whether there is a file or directory at `path`.
    pub(crate) fn contains(&self, path: &str) -> bool {
        path.is_empty() || self.paths.contains(path)
    }

    /// A tree of (path, text), for the tests of the rules.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add(path, Some((*text).to_owned()));
        }
        tree
    }
}

#[cfg(test)]
mod tests;

//! Inside the library, data flows one way: a module uses only modules below it.

use crate::tidy::Problem;
use crate::tidy::rust_paths;
use crate::tidy::tree::{SourceFile, Tree};

const SOURCES: &str = "crates/kube-informer/src/";

/// A top-level module, and those it may use.
type Level = (&'static str, &'static [&'static str]);

/// From the bottom up. A module may use only modules above its own line, so there can be no cycle.
const LEVELS: &[Level] = &[
    ("kind", &[]),
    ("metrics", &["kind"]),
    ("report", &["kind", "metrics"]),
    ("status", &["kind", "metrics", "report"]),
    ("error", &["kind", "report", "status"]),
    ("object", &["error", "kind", "report"]),
    ("source", &["error", "kind", "object"]),
    ("options", &["error", "kind", "object", "source"]),
    ("fifo", &[]),
    ("reflector", &["error", "fifo", "kind", "object", "options", "report", "source", "status"]),
    ("handler", &["error", "metrics", "object", "report", "status"]),
    ("lister", &["error", "kind", "object", "report"]),
    (
        "informer",
        &[
            "error",
            "fifo",
            "handler",
            "kind",
            "lister",
            "metrics",
            "object",
            "options",
            "reflector",
            "report",
            "source",
            "status",
        ],
    ),
    (
        "factory",
        &[
            "error", "handler", "informer", "kind", "lister", "object", "options", "report", "source",
            "status",
        ],
    ),
    ("testing", &["source"]),
];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    check_with(tree, LEVELS)
}

fn check_with(tree: &Tree, levels: &[Level]) -> Vec<Problem> {
    let exports = tree
        .file(&format!("{SOURCES}lib.rs"))
        .map(|lib| rust_paths::re_exports(lib.lines()))
        .unwrap_or_default();
    let known = |module: &str| levels.iter().any(|(name, _)| *name == module);
    let mut problems = Vec::new();
    for file in tree.rust_files().filter(|file| !file.is_test()) {
        let Some(place) = place(file) else { continue };
        let Some((_, allowed)) = levels.iter().find(|(name, _)| *name == place.module) else {
            let text = format!("module `{}` has no level: give it one in {}", place.module, file!());
            problems.push(Problem::new(&file.path, 0, text));
            continue;
        };
        for (line, name) in rust_paths::root_names(file.lines_before_tests(), place.depth) {
            // `crate::Object` is a use of the module that `lib.rs` takes it from; of another crate, it is nothing.
            let used = exports.get(&name).filter(|_| !known(&name)).unwrap_or(&name);
            let problem = if !known(used) && !exports.contains_key(&name) {
                format!("`crate::{name}` is neither a module with a level nor re-exported by name in lib.rs")
            } else if known(used) && used != place.module && !allowed.contains(&used.as_str()) {
                format!("`{}` must not use `{used}`: see the levels in {}", place.module, file!())
            } else {
                continue;
            };
            problems.push(Problem::new(&file.path, line, problem));
        }
    }
    problems
}

struct Place<'a> {
    module: &'a str,
    /// How many modules below the root.
    depth: usize,
}

/// Where in the library's module tree a file is; none for `lib.rs`, whose work is to know everything.
fn place(file: &SourceFile) -> Option<Place<'_>> {
    let path = file.path.strip_prefix(SOURCES)?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let module = path.split('/').next()?;
    (path != "lib").then(|| Place { module, depth: path.split('/').count() })
}

#[cfg(test)]
mod tests;

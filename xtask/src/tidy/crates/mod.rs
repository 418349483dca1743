//! Which modules each crate has, from the bottom up, and what each of them may do: one file for each crate.
//!
//! A module that moves to another crate takes its lines along, from one file here to the other. An entry that names no
//! module is a problem, and so are a module and a crate without an entry: whatever moves, no rule goes blind.

mod embedded_apiserver;
mod informer_cli;
mod informer_controller;
mod informer_core;
mod informer_endpoint;
mod informer_gen;
mod informer_recording;
mod informer_wire;
mod kube_informer;
mod test_cluster;

use toml::Spanned;
use toml::de::DeTable;

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

/// Modules that know each other, usually one, and the modules below that they may use.
pub(crate) type Level = (&'static [&'static str], &'static [&'static str]);

/// Files and modules, from the crate's sources. A module `a/b` is the file `a/b.rs` and all that is below `a/b/`.
pub(crate) type Places = &'static [&'static str];

/// All that is on the lines before.
pub(crate) const ALL_BELOW: &[&str] = &["*"];

/// The whole crate.
pub(crate) const EVERYWHERE: &str = "*";

/// What a crate of plain data does without: somebody else waits, asks, counts and logs.
const OF_A_RUNTIME: &[&str] = &[
    "async-*",
    "futures",
    "futures-*",
    "hyper",
    "hyper-*",
    "k8s-openapi",
    "kube",
    "kube-*",
    "metrics",
    "tokio",
    "tokio-*",
    "tower",
    "tracing",
];

/// The rules of one crate.
#[derive(Debug)]
pub(crate) struct Crate {
    /// As in its manifest: the folder may change.
    pub(crate) name: &'static str,
    /// From the bottom up. A module may use only modules above its own line, so there can be no cycle but on a line.
    pub(crate) levels: &'static [Level],
    /// Where tasks and threads are started.
    pub(crate) spawning: Places,
    /// No waiting, clock, lock, log or chance: what goes in decides what comes out, so they can be tested case by case.
    pub(crate) pure: Places,
    /// Where the kube crates are touched.
    pub(crate) kube: Places,
    /// What may not be among its `[dependencies]`; `*` stands for the rest of a name.
    pub(crate) without: &'static [&'static [&'static str]],
}

const CRATES: &[&Crate] = &[
    &informer_wire::RULES,
    &informer_core::RULES,
    &kube_informer::RULES,
    &informer_controller::RULES,
    &informer_recording::RULES,
    &informer_endpoint::RULES,
    &informer_gen::RULES,
    &informer_cli::RULES,
    &embedded_apiserver::RULES,
    &test_cluster::RULES,
];

/// Crates without such rules, and why. Those for every file hold here, too.
const FREE: &[(&str, &str)] = &[
    ("bench-data", BENCH),
    ("bench-meter", BENCH),
    ("bench-runner", BENCH),
    ("book", "tests of the documentation"),
    ("client-kube-rs", BENCH),
    ("client-ours", BENCH),
    ("queue-ours", BENCH),
    ("replay-server", BENCH),
    ("custom-kind", EXAMPLE),
    ("small-program", EXAMPLE),
    ("xtask", "its modules are commands, which use each other's"),
];

const EXAMPLE: &str = "an example, which is read as a whole";
const BENCH: &str = "a program of the benchmark, which nobody uses";

/// A crate of the tree, with its rules.
pub(crate) struct Member<'t> {
    pub(crate) rules: &'static Crate,
    /// Its sources, without tests, each with its path below `src`, without `.rs`.
    pub(crate) sources: Vec<(&'t str, &'t SourceFile)>,
}

impl<'t> Member<'t> {
    /// `folder` has a `/` at its end.
    pub(crate) fn new(tree: &'t Tree, rules: &'static Crate, folder: &str) -> Self {
        let folder = format!("{folder}src/");
        let within = |file: &'t SourceFile| file.path.strip_prefix(&*folder)?.strip_suffix(".rs");
        let files = tree.rust_files().filter_map(|file| Some((within(file)?, file)));
        Self { rules, sources: files.filter(|(_, file)| !file.is_test()).collect() }
    }

    pub(crate) fn root(&self) -> Option<&'t SourceFile> {
        self.sources.iter().find(|(path, _)| ["lib", "main"].contains(path)).map(|(_, file)| *file)
    }
}

/// Calls `rule` for every crate that has rules.
pub(crate) fn each<'t>(tree: &'t Tree, mut rule: impl FnMut(&Member<'t>)) {
    for (name, manifest) in packages(tree) {
        if let Some(rules) = CRATES.iter().find(|rules| rules.name == name) {
            rule(&Member::new(tree, rules, manifest.path.trim_end_matches("Cargo.toml")));
        }
    }
}

/// The packages of the tree by their names.
fn packages(tree: &Tree) -> impl Iterator<Item = (&str, &SourceFile)> {
    let manifests = tree.files().iter().filter(|file| file.name() == "Cargo.toml");
    manifests.filter_map(|file| {
        let name = file.section("package").find_map(|line| line.strip_prefix("name = \""))?;
        Some((name.trim_end_matches('"'), file))
    })
}

/// Every crate has rules or needs none, each of those named is there, and none depends on what it is to do without.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    let known: Vec<&str> =
        CRATES.iter().map(|rules| rules.name).chain(FREE.iter().map(|(name, _)| *name)).collect();
    for (name, manifest) in packages(tree).filter(|(name, _)| !known.contains(name)) {
        let text = format!("no rule knows the crate `{name}`: give it a file beside {}", file!());
        problems.push(Problem::new(&manifest.path, 0, text));
    }
    for name in known.iter().filter(|name| !packages(tree).any(|(there, _)| there == **name)) {
        problems.push(Problem::new(file!(), 0, format!("there are rules for `{name}`, which is not there")));
    }
    for (name, manifest) in packages(tree) {
        let rules = CRATES.iter().find(|rules| rules.name == name);
        let without: Vec<&str> = rules.map(|rules| rules.without.concat()).unwrap_or_default();
        for dependency in dependencies(&manifest.text) {
            if without.iter().any(|unwanted| is_meant(&dependency, unwanted)) {
                let text =
                    format!("`{name}` is to do without `{dependency}`: see its rules beside {}", file!());
                problems.push(Problem::new(&manifest.path, 0, text));
            }
        }
    }
    problems
}

/// The packages in a manifest's `[dependencies]`, those for some platforms among them. One that is no TOML cargo refuses.
fn dependencies(manifest: &str) -> Vec<String> {
    let Ok(manifest) = DeTable::parse(manifest).map(Spanned::into_inner) else { return Vec::new() };
    let platforms = manifest.get("target").and_then(|targets| targets.get_ref().as_table());
    let of_platforms = platforms.into_iter().flat_map(|platforms| platforms.values());
    let of_platforms = of_platforms.filter_map(|platform| platform.get_ref().get("dependencies"));
    let lists = manifest.get("dependencies").into_iter().chain(of_platforms);
    let entries = lists.filter_map(|list| list.get_ref().as_table()).flatten();
    entries
        .map(|(name, how)| {
            // Under another name it is still the same.
            let package = how.get_ref().get("package").and_then(|package| package.get_ref().as_str());
            package.unwrap_or(name.get_ref()).to_owned()
        })
        .collect()
}

fn is_meant(dependency: &str, unwanted: &str) -> bool {
    match unwanted.strip_suffix('*') {
        Some(beginning) => dependency.starts_with(beginning),
        None => dependency == unwanted,
    }
}

#[cfg(test)]
mod tests;

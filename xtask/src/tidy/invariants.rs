//! The invariants of ARCHITECTURE.md that can be seen by reading the library's sources: who spawns, which modules are
//! pure, where the kube crates are touched.
//!
//! The lists stand here and nowhere else. An entry that names no file is a problem too, so that they stay true.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

const SOURCES: &str = "crates/kube-informer/src/";

/// The crate below, whose modules have other names.
const CORE: &str = "crates/informer-core/src/";

/// Files and modules, from the library's sources. A module `a/b` is the file `a/b.rs` and all that is below `a/b/`.
type Places = &'static [&'static str];

/// Where tasks and threads are started.
const SPAWNING: Places = &[
    // Every task of an informer, in handles that end it when they are dropped; threads of blocking handlers.
    "informer/tasks",
    // The thread that trains the dictionary.
    "object/packed/trainer",
    // Files of credentials are read, and clients built, beside the runtime's workers. A task for each connection.
    "source/http",
];

const SPAWNS: &[&str] = &[
    "tokio::spawn",
    "task::spawn",
    "spawn_blocking",
    "spawn_local",
    "JoinSet",
    "thread::spawn",
    "thread::scope",
    "thread::Builder",
];

/// No waiting, clock, lock, log or chance: what goes in decides what comes out, so they can be tested case by case.
const PURE: Places = &[
    "mailbox",
    "reflector/backoff",
    "reflector/budget",
    "reflector/cursor",
    "reflector/newest",
    "reflector/recovery",
    "reflector/snapshot",
    "store/apply",
    "store/plan",
    "store/replace",
];

const IMPURE: &[&str] = &[
    "async",
    "await",
    "Instant::now",
    "SystemTime",
    "tokio::",
    "Mutex",
    "RwLock",
    "Notify",
    "tracing::",
    "fastrand::",
    "std::fs",
    "std::thread",
];

/// A moment and a generator may be handed in.
const HANDED_IN: &[&str] = &["tokio::time::Instant", "fastrand::Rng"];

/// Where the kube crates are touched: at the edges, never in the engine.
const KUBE: Places = &[
    // What the factory is given, and the dynamic types that it gives out.
    "factory",
    // Our own types by the names of kube's.
    "kind",
    "lib",
    // Selectors.
    "lister",
    "object/labels",
    // The transform of any object.
    "options",
    "informer/blueprint",
    // A client to write with, and what was written, to wait for it.
    "informer/client",
    "informer/wait",
    // The one place that talks to a server, and who passes its client on.
    "source/http",
    "source/sources",
];

const KUBE_CRATES: &[&str] = &["kube::", "kube_client::", "kube_core::", "kube_runtime::", "k8s_openapi::"];

/// Tasks and threads are started in a few places.
pub(crate) fn spawning(tree: &Tree) -> Vec<Problem> {
    let advice = "starts a task or thread outside of the places for that";
    only_in(tree, SPAWNING, SPAWNS, "SPAWNING", advice)
}

/// Pure modules do nothing but compute.
pub(crate) fn purity(tree: &Tree) -> Vec<Problem> {
    let mut problems = missing(tree, PURE, "PURE");
    for file in sources(tree).filter(|file| PURE.iter().any(|module| is_in(file, module))) {
        problems.extend(uses(file, IMPURE, HANDED_IN, "PURE", "has no place in a pure module"));
    }
    problems
}

/// The kube crates stay at the edges.
pub(crate) fn kube(tree: &Tree) -> Vec<Problem> {
    only_in(tree, KUBE, KUBE_CRATES, "KUBE", "is touched outside of the places for that")
}

fn only_in(tree: &Tree, places: Places, words: &[&str], list: &str, advice: &str) -> Vec<Problem> {
    let mut problems = missing(tree, places, list);
    for file in sources(tree).filter(|file| !places.iter().any(|place| is_in(file, place))) {
        problems.extend(uses(file, words, &[], list, advice));
    }
    problems
}

/// The sources of the library, without tests.
fn sources(tree: &Tree) -> impl Iterator<Item = &SourceFile> {
    tree.rust_files()
        .filter(|file| [SOURCES, CORE].iter().any(|from| file.path.starts_with(from)) && !file.is_test())
}

fn is_in(file: &SourceFile, place: &str) -> bool {
    let path = [SOURCES, CORE].iter().find_map(|from| file.path.strip_prefix(from));
    let rest = path.and_then(|path| path.strip_prefix(place));
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn missing(tree: &Tree, places: Places, list: &str) -> Vec<Problem> {
    let gone = |place: &&&str| !sources(tree).any(|file| is_in(file, place));
    let problem =
        |place: &&str| Problem::new(file!(), 0, format!("{list} names `{place}`, which is not there"));
    places.iter().filter(gone).map(problem).collect()
}

fn uses(file: &SourceFile, words: &[&str], except: &[&str], list: &str, advice: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, line) in file.lines_before_tests() {
        let code = line.split("//").next().unwrap_or_default();
        for word in words.iter().filter(|word| occurs(code, word, except)) {
            let text = format!("`{word}` {advice}: see {list} in {}", file!());
            problems.push(Problem::new(&file.path, number, text));
        }
    }
    problems
}

/// Whether a word is there, whole and not as the beginning of one of the exceptions.
fn occurs(code: &str, word: &str, except: &[&str]) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(start, _)| {
        let (before, found) = code.split_at(start);
        let after = found[word.len()..].chars().next();
        let goes_on = word.ends_with(is_name) && after.is_some_and(is_name);
        let whole = !before.ends_with(is_name) && !goes_on;
        whole && !except.iter().any(|except| found.starts_with(except))
    })
}

#[cfg(test)]
mod tests;

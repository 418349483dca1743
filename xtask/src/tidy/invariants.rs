//! The invariants of ARCHITECTURE.md that can be seen by reading the library's sources: who spawns, which modules are
//! pure, where the kube crates are touched.
//!
//! The lists stand here and nowhere else. An entry that names no file is a problem too, so that they stay true.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

const SOURCES: &str = "crates/kube-informer/src/";

/// Files and modules, from the library's sources. A module `a/b` is the file `a/b.rs` and all that is below `a/b/`.
type Places = &'static [&'static str];

/// Where tasks and threads are started.
const SPAWNING: Places = &[
    // Every task of an informer, in handles that end it when they are dropped; threads of blocking handlers.
    "informer/tasks",
    // The thread that trains the dictionary.
    "object/trainer",
    // Files of credentials are read, and clients built, beside the runtime's workers.
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
    "handler/mailbox",
    "handler/pending",
    "reflector/backoff",
    "reflector/budget",
    "reflector/cursor",
    "reflector/newest",
    "reflector/recovery",
    "reflector/snapshot",
    "source/frames",
    "source/list_frames",
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
    "store/indexer",
    // Times.
    "object/benchmark_pod",
    "object/face",
    "object/scan",
    // What was written, to wait for it.
    "informer/wait",
    // The one place that talks to a server.
    "source/http",
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
    tree.rust_files().filter(|file| file.path.starts_with(SOURCES) && !file.is_test())
}

fn is_in(file: &SourceFile, place: &str) -> bool {
    let rest = file.path.strip_prefix(SOURCES).and_then(|path| path.strip_prefix(place));
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
        let whole = !before.ends_with(is_name) && !(word.ends_with(is_name) && after.is_some_and(is_name));
        whole && !except.iter().any(|except| found.starts_with(except))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree with every file that the lists name, and these.
    fn tree(files: &[(&str, &str)]) -> Tree {
        let named = [SPAWNING, PURE, KUBE].concat();
        let mut all: Vec<(String, &str)> =
            named.iter().map(|place| (format!("{SOURCES}{place}/mod.rs"), "")).collect();
        all.extend(files.iter().map(|(path, text)| (format!("{SOURCES}{path}"), *text)));
        let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        Tree::of(&all)
    }

    type Check = fn(&Tree) -> Vec<Problem>;

    fn found(check: Check, path: &str, text: &str) -> usize {
        check(&tree(&[(path, text)])).len()
    }

    #[test]
    fn tasks_and_threads_are_started_in_a_few_places_only() {
        for bad in ["tokio::spawn(work);", "tokio::task::spawn_blocking(f);", "std::thread::Builder::new()"] {
            assert_eq!(found(spawning, "store/writer.rs", bad), 1, "{bad}");
            assert_eq!(found(spawning, "informer/tasks.rs", bad), 0, "{bad}");
        }
        assert_eq!(found(spawning, "informer/tests/a.rs", "tokio::spawn(work);"), 0);
        assert_eq!(found(spawning, "store/writer.rs", "// tokio::spawn\nself.spawn.spawn(task);"), 0);
    }

    #[test]
    fn pure_modules_wait_for_nothing_and_ask_no_clock_lock_or_chance() {
        for bad in [
            "async fn f() {}",
            "f().await;",
            "let now = Instant::now();",
            "use tokio::sync::Notify;",
            "use tokio::time::{Instant, sleep};",
            "state: Mutex<State>,",
            "tracing::debug!(x);",
            "fastrand::u64(..)",
        ] {
            assert!(found(purity, "reflector/cursor/watching.rs", bad) > 0, "{bad}");
            assert!(found(purity, "store/apply.rs", bad) > 0, "{bad}");
            assert_eq!(found(purity, "reflector/driver.rs", bad), 0, "{bad}");
        }
        for good in
            ["use tokio::time::Instant;", "rng: &mut fastrand::Rng", "self.awaits(key);", "// no await"]
        {
            assert_eq!(found(purity, "handler/mailbox.rs", good), 0, "{good}");
        }
    }

    #[test]
    fn kube_stays_at_the_edges() {
        for bad in ["use kube_core::labels::Selector;", "fn f(_: k8s_openapi::jiff::Timestamp) {}"] {
            assert_eq!(found(kube, "reflector/driver.rs", bad), 1, "{bad}");
            assert_eq!(found(kube, "source/http/client.rs", bad), 0, "{bad}");
            assert_eq!(found(kube, "kind.rs", bad), 0, "{bad}");
        }
        assert_eq!(found(kube, "informer/mod.rs", "/// use k8s_openapi::api::core::v1::Pod;\n"), 0);
    }

    #[test]
    fn a_list_that_names_what_is_gone_is_a_problem() {
        let empty = Tree::of(&[]);
        assert_eq!(spawning(&empty).len(), SPAWNING.len());
        assert_eq!(purity(&empty).len(), PURE.len());
        assert_eq!(kube(&empty).len(), KUBE.len());
    }

    #[test]
    fn the_project_itself_keeps_them() {
        let tree = Tree::read(&crate::cargo::workspace_root()).unwrap();
        for check in [spawning, purity, kube] {
            assert_eq!(check(&tree), []);
        }
    }
}

//! The invariants of ARCHITECTURE.md that can be seen by reading sources: who spawns, which modules are pure, where the kube
//! crates are touched. The lists of each crate stand in [`crates`].
//!
//! An entry that names no file is a problem too, so that they stay true.

use crate::tidy::Problem;
use crate::tidy::crates::{self, Crate, EVERYWHERE, Member, Places};
use crate::tidy::tree::{SourceFile, Tree};

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

const KUBE_CRATES: &[&str] = &["kube::", "kube_client::", "kube_core::", "kube_runtime::", "k8s_openapi::"];

/// Tasks and threads are started in a few places.
pub(crate) fn spawning(tree: &Tree) -> Vec<Problem> {
    let advice = "starts a task or thread outside of the places for that";
    only_in(tree, |rules| rules.spawning, SPAWNS, "spawning", advice)
}

/// Pure modules do nothing but compute.
pub(crate) fn purity(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    crates::each(tree, |member| {
        let places = member.rules.pure;
        problems.extend(missing(member, places, "pure"));
        for (_, file) in member.sources.iter().filter(|(path, _)| is_in_one(path, places)) {
            let advice = "has no place in a pure module";
            problems.extend(uses(member, file, IMPURE, HANDED_IN, "pure", advice));
        }
    });
    problems
}

/// The kube crates stay at the edges.
pub(crate) fn kube(tree: &Tree) -> Vec<Problem> {
    only_in(tree, |rules| rules.kube, KUBE_CRATES, "kube", "is touched outside of the places for that")
}

fn only_in(
    tree: &Tree,
    places: fn(&Crate) -> Places,
    words: &[&str],
    list: &str,
    advice: &str,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    crates::each(tree, |member| {
        let places = places(member.rules);
        problems.extend(missing(member, places, list));
        for (_, file) in member.sources.iter().filter(|(path, _)| !is_in_one(path, places)) {
            problems.extend(uses(member, file, words, &[], list, advice));
        }
    });
    problems
}

fn is_in_one(path: &str, places: Places) -> bool {
    places.iter().any(|place| is_in(path, place))
}

fn is_in(path: &str, place: &str) -> bool {
    place == EVERYWHERE
        || path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn missing(member: &Member<'_>, places: Places, list: &str) -> Vec<Problem> {
    let gone = |place: &&&str| !member.sources.iter().any(|(path, _)| is_in(path, place));
    let problem = |place: &&str| {
        let text = format!("`{list}` of {} names `{place}`, which is not there", member.rules.name);
        Problem::new(file!(), 0, text)
    };
    places.iter().filter(gone).map(problem).collect()
}

fn uses(
    member: &Member<'_>,
    file: &SourceFile,
    words: &[&str],
    except: &[&str],
    list: &str,
    advice: &str,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, code) in file.code_before_tests() {
        for word in words.iter().filter(|word| occurs(code, word, except)) {
            let text = format!("`{word}` {advice}: see `{list}` in the rules of {}", member.rules.name);
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

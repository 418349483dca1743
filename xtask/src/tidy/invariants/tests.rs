use super::*;

const SOURCES: &str = "crates/kube-informer/src/";
const MANIFEST: (&str, &str) = ("crates/kube-informer/Cargo.toml", "[package]\nname = \"kube-informer\"\n");

/// The rules of the library.
fn rules() -> &'static Crate {
    let mut rules = None;
    crates::each(&Tree::of(&[MANIFEST]), |member| rules = Some(member.rules));
    rules.unwrap()
}

/// A tree with every file that the lists name, and these.
fn tree(files: &[(&str, &str)]) -> Tree {
    let named = [rules().spawning, rules().pure, rules().kube].concat();
    let mut all: Vec<(String, &str)> =
        named.iter().map(|place| (format!("{SOURCES}{place}/mod.rs"), "")).collect();
    all.extend(files.iter().map(|(path, text)| (format!("{SOURCES}{path}"), *text)));
    let mut all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    all.push(MANIFEST);
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
    for good in ["use tokio::time::Instant;", "rng: &mut fastrand::Rng", "self.awaits(key);", "// no await"] {
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
    let empty = Tree::of(&[MANIFEST]);
    assert_eq!(spawning(&empty).len(), rules().spawning.len());
    assert_eq!(purity(&empty).len(), rules().pure.len());
    assert_eq!(kube(&empty).len(), rules().kube.len());
}

#[test]
fn the_project_itself_keeps_them() {
    let tree = Tree::read(&crate::cargo::workspace_root()).unwrap();
    for check in [spawning, purity, kube] {
        assert_eq!(check(&tree), []);
    }
}

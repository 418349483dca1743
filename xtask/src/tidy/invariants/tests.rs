use super::*;

type Check = fn(&Tree) -> Vec<Problem>;

/// A crate of this project.
struct Tried(&'static str);

const LIBRARY: Tried = Tried("kube-informer");
const CORE: Tried = Tried("informer-core");

impl Tried {
    fn manifest(&self) -> (String, String) {
        (format!("crates/{}/Cargo.toml", self.0), format!("[package]\nname = \"{}\"\n", self.0))
    }

    fn rules(&self) -> &'static Crate {
        let mut rules = None;
        crates::each(&self.tree(&[], false), |member| rules = Some(member.rules));
        rules.unwrap()
    }

    /// A tree with these files, and if it is asked for every file that the lists name.
    fn tree(&self, files: &[(&str, &str)], with_named: bool) -> Tree {
        let sources = format!("crates/{}/src/", self.0);
        let mut all = vec![self.manifest()];
        if with_named {
            let rules = self.rules();
            let named = [rules.spawning, rules.pure, rules.kube].concat();
            all.extend(named.iter().map(|place| (format!("{sources}{place}/mod.rs"), String::new())));
        }
        all.extend(files.iter().map(|(path, text)| (format!("{sources}{path}"), (*text).to_owned())));
        let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Tree::of(&all)
    }

    fn found(&self, check: Check, path: &str, text: &str) -> usize {
        check(&self.tree(&[(path, text)], true)).len()
    }
}

#[test]
fn tasks_and_threads_are_started_in_a_few_places_only() {
    for bad in ["tokio::spawn(work);", "tokio::task::spawn_blocking(f);", "std::thread::Builder::new()"] {
        assert_eq!(LIBRARY.found(spawning, "lister.rs", bad), 1, "{bad}");
        assert_eq!(LIBRARY.found(spawning, "informer/tasks.rs", bad), 0, "{bad}");
    }
    assert_eq!(LIBRARY.found(spawning, "informer/tests/a.rs", "tokio::spawn(work);"), 0);
    assert_eq!(LIBRARY.found(spawning, "lister.rs", "// tokio::spawn\nself.spawn.spawn(task);"), 0);
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
        assert!(CORE.found(purity, "reflector/cursor/watching.rs", bad) > 0, "{bad}");
        assert!(CORE.found(purity, "store/apply.rs", bad) > 0, "{bad}");
        assert_eq!(CORE.found(purity, "object/ingest.rs", bad), 0, "{bad}");
    }
    for good in ["use tokio::time::Instant;", "rng: &mut fastrand::Rng", "self.awaits(key);", "// no await"] {
        assert_eq!(CORE.found(purity, "mailbox/mod.rs", good), 0, "{good}");
    }
}

#[test]
fn kube_stays_at_the_edges() {
    for bad in ["use kube_core::labels::Selector;", "fn f(_: k8s_openapi::jiff::Timestamp) {}"] {
        assert_eq!(LIBRARY.found(kube, "reflector/driver.rs", bad), 1, "{bad}");
        assert_eq!(LIBRARY.found(kube, "source/http/client.rs", bad), 0, "{bad}");
        assert_eq!(LIBRARY.found(kube, "kind.rs", bad), 0, "{bad}");
    }
    assert_eq!(LIBRARY.found(kube, "informer/mod.rs", "/// use k8s_openapi::api::core::v1::Pod;\n"), 0);
}

#[test]
fn a_list_that_names_what_is_gone_is_a_problem() {
    for tried in [LIBRARY, CORE] {
        let (empty, rules) = (tried.tree(&[], false), tried.rules());
        assert_eq!(spawning(&empty).len(), rules.spawning.len());
        assert_eq!(purity(&empty).len(), rules.pure.len());
        assert_eq!(kube(&empty).len(), rules.kube.len());
    }
}

#[test]
fn the_project_itself_keeps_them() {
    let tree = Tree::read(&crate::cargo::workspace_root()).unwrap();
    for check in [spawning, purity, kube] {
        assert_eq!(check(&tree), []);
    }
}

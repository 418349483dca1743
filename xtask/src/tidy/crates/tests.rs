use super::*;

const MANIFEST: &str = "crates/a/Cargo.toml";

fn manifest(name: &str, dependencies: &str) -> Tree {
    Tree::of(&[(MANIFEST, &format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependencies}\n"))])
}

fn found(tree: &Tree) -> Vec<String> {
    check(tree).into_iter().filter(|problem| problem.path == MANIFEST).map(|problem| problem.text).collect()
}

#[test]
fn a_crate_that_no_rule_knows_is_a_problem() {
    assert!(found(&manifest("brand-new", ""))[0].starts_with("no rule knows the crate `brand-new`"));
    assert!(found(&manifest("informer-wire", "")).is_empty());
    assert!(found(&manifest("xtask", "")).is_empty());
}

#[test]
fn rules_for_a_crate_that_is_gone_are_a_problem() {
    let problems = check(&Tree::of(&[]));
    assert_eq!(problems.len(), CRATES.len() + FREE.len());
}

#[test]
fn plain_data_does_without_a_runtime() {
    for bad in [
        "tokio.workspace = true",
        "kube-client = { version = \"1\" }",
        "futures = \"0.3\"",
        "tokio-util.workspace = true",
    ] {
        assert_eq!(found(&manifest("informer-wire", bad)).len(), 1, "{bad}");
        assert!(found(&manifest("kube-informer", bad)).is_empty(), "{bad}");
    }
    assert!(
        found(&manifest("informer-wire", "serde.workspace = true\n[dev-dependencies]\ntokio = \"1\""))
            .is_empty()
    );
}

#[test]
fn dependencies_are_found_however_they_are_written() {
    let text = r#"
        [dependencies]
        one.workspace = true
        two = { version = "2", features = [
            "no",
        ] }
        [dependencies.three]
        version = "3"
        [dependencies.other]
        package = "four"
        [dev-dependencies.no]
        version = "1"
        [target.'cfg(target_os = "linux")'.dependencies]
        five = "5"
        [target.x86_64-unknown-linux-gnu.dependencies.six]
        version = "6"
        [target.'cfg(unix)'.dev-dependencies]
        no = "1"
    "#;
    let mut names = dependencies(text);
    names.sort();
    assert_eq!(names, ["five", "four", "one", "six", "three", "two"]);
    let tokio = "serde.workspace = true\n[target.'cfg(unix)'.dependencies.tokio]\nversion = \"1\"";
    assert_eq!(found(&manifest("informer-wire", tokio)).len(), 1);
}

#[test]
fn the_table_goes_from_the_bottom_up() {
    for rules in CRATES {
        for (index, (modules, allowed)) in rules.levels.iter().enumerate() {
            let below: Vec<&str> =
                rules.levels[..index].iter().flat_map(|(names, _)| names.iter().copied()).collect();
            for used in allowed.iter().filter(|used| !ALL_BELOW.contains(used)) {
                assert!(
                    below.contains(used),
                    "{}: {modules:?} may use `{used}`, which is not below",
                    rules.name
                );
            }
        }
    }
}

#[test]
fn a_crate_is_known_by_its_name_wherever_it_lies() {
    let tree = Tree::of(&[
        ("testkit/cluster/Cargo.toml", "[package]\nname = \"test-cluster\"\n"),
        ("testkit/cluster/src/a/mod.rs", ""),
        ("testkit/cluster/src/a/tests.rs", ""),
        ("testkit/cluster/src/lib.rs", ""),
    ]);
    let mut seen = Vec::new();
    each(&tree, |member| {
        seen.extend(member.sources.iter().map(|(path, _)| *path));
        assert_eq!(member.root().unwrap().path, "testkit/cluster/src/lib.rs");
    });
    assert_eq!(seen, ["a/mod", "lib"]);
}

use super::*;
use crate::tidy::crates::Crate;

const SOURCES: &str = "crates/a/src/";

static TEST_RULES: Crate = Crate {
    name: "a",
    levels: &[
        (&["low"], &[]),
        (&["middle", "beside"], &["low"]),
        (&["high"], &["low"]),
        (&["top"], ALL_BELOW),
    ],
    spawning: &[],
    pure: &[],
    kube: &[],
    without: &[],
};

fn checked(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (format!("{SOURCES}{path}"), *text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let tree = Tree::of(&files);
    let problems = check_crate(&Member::new(&tree, &TEST_RULES, "crates/a/"));
    problems.into_iter().map(|problem| problem.text).collect()
}

/// Of these files, in a crate that has all modules.
fn problems(files: &[(&str, &str)]) -> Vec<String> {
    let all = ["low/a.rs", "middle/a.rs", "beside/a.rs", "high/a.rs", "top/a.rs"].map(|path| (path, ""));
    checked(&[&all, files].concat())
}

#[test]
fn downwards_and_within_is_allowed() {
    let none: [&str; 0] = [];
    let lib = ("lib.rs", "mod low;\npub use low::Thing;\npub use other_crate::Foreign;\n");
    let high = ("high/part.rs", "use crate::{low::X, high::y};\nuse crate::Thing;\nuse crate::Foreign;\n");
    assert_eq!(problems(&[lib, high]), none);
}

#[test]
fn upwards_and_sideways_is_not() {
    assert!(problems(&[("low.rs", "use crate::high::X;\n")])[0].starts_with("`low` must not use `high`"));
    assert!(problems(&[("high/mod.rs", "use super::middle;\n")])[0].contains("must not use `middle`"));
    let lib = ("lib.rs", "pub use high::Thing;\n");
    assert!(problems(&[lib, ("low.rs", "fn f(_: crate::Thing) {}\n")])[0].contains("must not use `high`"));
}

#[test]
fn modules_of_one_line_know_each_other_and_the_top_may_know_all() {
    let none: [&str; 0] = [];
    let beside = ("beside/b.rs", "use crate::middle::X;\n");
    assert_eq!(problems(&[("middle/b.rs", "use crate::beside::X;\n"), beside]), none);
    assert_eq!(problems(&[("top/b.rs", "use crate::{high, middle};\n")]), none);
}

#[test]
fn a_level_of_a_module_that_is_gone_is_a_problem() {
    assert_eq!(checked(&[]).len(), 5);
    assert_eq!(checked(&[])[0], "a has a level for `low`, which is not there");
}

#[test]
fn what_is_not_known_is_a_problem() {
    assert!(problems(&[("new.rs", "")])[0].contains("module `new` has no level"));
    assert!(problems(&[("low.rs", "use crate::Unknown;\n")])[0].contains("neither a module"));
}

#[test]
fn tests_may_use_anything() {
    let none: [&str; 0] = [];
    let text = "#[cfg(test)]\nmod tests {\n    use crate::high::X;\n}\n";
    assert_eq!(problems(&[("low/tests.rs", "use crate::high::X;\n"), ("low/mod.rs", text)]), none);
}

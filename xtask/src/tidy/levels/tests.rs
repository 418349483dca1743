use super::*;

const TEST_LEVELS: &[Level] = &[("low", &[]), ("middle", &["low"]), ("high", &["low"])];

fn problems(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (format!("{SOURCES}{path}"), *text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    check_with(&Tree::of(&files), TEST_LEVELS).into_iter().map(|problem| problem.text).collect()
}

#[test]
fn the_table_goes_from_the_bottom_up() {
    for (index, (module, allowed)) in LEVELS.iter().enumerate() {
        for used in *allowed {
            assert!(
                LEVELS[..index].iter().any(|(below, _)| below == used),
                "`{module}` may use `{used}`, which is not below it"
            );
        }
    }
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

use super::*;

fn lines(count: usize) -> String {
    "x\n".repeat(count)
}

#[test]
fn a_long_file_is_a_problem_and_a_long_test_is_not() {
    let tree = Tree::of(&[
        ("a.rs", &lines(500)),
        ("b.rs", &lines(501)),
        ("tests.rs", &lines(900)),
        ("c/tests.rs", &lines(901)),
        ("long.md", &lines(2000)),
    ]);
    let paths: Vec<_> = check_with(&tree, &[]).into_iter().map(|problem| problem.path).collect();
    assert_eq!(paths, ["b.rs", "c/tests.rs"]);
}

#[test]
fn an_allowance_is_needed_and_used() {
    let tree = Tree::of(&[("a.rs", &lines(501)), ("b.rs", &lines(1))]);
    let problems = check_with(&tree, &[("a.rs", "generated"), ("b.rs", "was long once")]);
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "b.rs");
}

use super::*;

fn lines(text: &str) -> Vec<usize> {
    check(&Tree::of(&[("crates/a/tests/a.rs", text)])).iter().map(|problem| problem.line).collect()
}

#[test]
fn assertions_are_found_in_every_function_that_the_library_calls() {
    for name in TAKES {
        assert_eq!(lines(&format!("a.{name}(move |x| assert!(x.b()))\n")), [1], "{name}");
        assert_eq!(lines(&format!("{name}(|x| {{\n    let y = (1, x);\n    assert_eq!(y, 2);\n}});\n")), [3]);
    }
    assert_eq!(lines("handler().on_add(|_| one()).on_delete(|_| {\n    assert_ne!(1, 2);\n})"), [2]);
    let problem = &check(&Tree::of(&[("a.rs", "h.on_add(|x| assert!(x))")]))[0];
    assert!(problem.to_string().starts_with("a.rs:1: an assertion that fails within `on_add` is caught"));
}

#[test]
fn what_comes_before_and_after_the_call_may_assert() {
    assert!(lines("assert!(a);\nh.on_add(|x| seen.push(x));\nassert_eq!(seen, 1);\n").is_empty());
    assert!(lines("assert!(add(handler().on_add(|_| {})).is_ok());\n").is_empty());
    assert!(lines("fn transform_all(x: X) { assert!(x) }\nfn try_on_add(x: X) { assert!(x) }\n").is_empty());
}

#[test]
fn parentheses_in_text_do_not_count() {
    for odd in ["\")\"", "\"\\\")\"", "')'", "'\\''", "r#\")\"\"#", "// )\n", "f::<'a>()"] {
        assert_eq!(lines(&format!("h.on_add(|x| {{ let s = {odd}\n; assert!(x) }})")).len(), 1, "{odd}");
    }
    assert!(lines("h.on_add(|_| say(\"assert!(never)\"));\n// h.on_add(|x| assert!(x))\n").is_empty());
}

use super::*;

const KNOWN: &str =
    "memory = { unit = \"MiB\", ours = 1016, client-go = 16685 }\nlatency = { unit = \"µs\", ours = 356 }\n";

fn problems(page: &str) -> Vec<String> {
    let fixed = PAGES.map(|page| (page, "<!-- figures --><!-- end of figures -->"));
    let tree = Tree::of(&[&fixed[..], &[(FIGURES, KNOWN), ("docs/page.md", page)]].concat());
    check(&tree).iter().map(ToString::to_string).collect()
}

fn of_block(text: &str) -> usize {
    problems(&format!("{BEGIN}\n{text}\n{END}\n")).len()
}

#[test]
fn a_figure_is_found_in_any_unit_and_as_round_as_the_page_has_it() {
    for right in
        ["1,016 MiB", "1016 MiB", "**1.0 GiB**", "| 0.99 GiB |", "356 µs.", "0.36 ms", "0.4 ms", "16,685 MiB"]
    {
        assert_eq!(of_block(right), 0, "{right}");
    }
    for wrong in ["1,015 MiB", "1.1 GiB", "357 µs", "0.35 ms", "356 ns", "1016 KB"] {
        assert_eq!(of_block(wrong), 1, "{wrong}");
    }
}

#[test]
fn numbers_without_a_unit_and_those_elsewhere_are_nobody_s_business() {
    assert_eq!(of_block("20,000 pods, 2 of them, version 1.0"), 0);
    assert!(problems("the timeout is 30 s\n").is_empty());
    let one_line = format!("5 s {BEGIN}7 s{END} 6 s {BEGIN}8 s{END}\n");
    let found = problems(&one_line);
    assert_eq!(found, ["7", "8"].map(|n| format!("docs/page.md:1: `{n} s` is no figure of {FIGURES}")));
}

#[test]
fn a_block_that_does_not_end_and_a_page_without_one_are_told() {
    assert_eq!(problems(&format!("{BEGIN}\n")), [format!("docs/page.md: `{BEGIN}` without `{END}`")]);
    let tree = Tree::of(&[(FIGURES, KNOWN), ("README.md", "# Nothing\n")]);
    let of_the_page =
        check(&tree).into_iter().filter(|problem| problem.to_string().contains("has no figures"));
    assert_eq!(of_the_page.count(), 1);
}

#[test]
fn a_file_of_figures_that_cannot_be_read_is_told() {
    for text in ["memory = ", "memory = 3", "memory = { ours = 3 }"] {
        assert_eq!(check(&Tree::of(&[(FIGURES, text)])).len(), 1, "{text}");
    }
}

#[test]
fn a_page_that_has_moved_is_told() {
    assert_eq!(check(&Tree::of(&[(FIGURES, KNOWN)])).len(), PAGES.len());
}

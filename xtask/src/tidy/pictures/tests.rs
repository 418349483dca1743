use super::*;

const GOOD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\" aria-label=\"a box\">\n\
    <style>@media(prefers-color-scheme:dark){.box{fill:#000}}</style>\n<rect class=\"box\"/>\n<text>a &amp; b</text>\n</svg>\n";

fn problems(picture: &str) -> Vec<String> {
    let tree =
        Tree::of(&[("docs/pictures/one.svg", picture), ("docs/page.md", "![one](pictures/one.svg)\n")]);
    check(&tree).into_iter().map(|problem| problem.text).collect()
}

#[test]
fn a_picture_with_all_that_it_needs_is_fine() {
    assert!(problems(GOOD).is_empty());
}

#[test]
fn what_a_picture_lacks_is_told() {
    for (part, instead) in [
        ("aria-label", "label"),
        ("prefers-color-scheme:dark", "print"),
        ("viewBox", "size"),
        ("fill:#000", "fill:url(https://example.com/a)"),
        ("<rect class=\"box\"/>", "<rect class=\"box\">"),
        ("&amp; b", "& b"),
        ("a &amp;", "a < b"),
    ] {
        assert_eq!(problems(&GOOD.replace(part, instead)).len(), 1, "{instead}");
    }
}

#[test]
fn a_picture_on_no_page_and_what_is_no_picture_are_told() {
    let tree = Tree::of(&[("docs/pictures/one.svg", GOOD), ("docs/pictures/one.txt", "flow\n")]);
    assert_eq!(check(&tree).len(), 2);
}

use super::*;

const PAGE: &str = "## Where it's `read`, and why\n\n| <a id=\"p-001\"></a>P-001 |\n";

fn found(text: &str) -> usize {
    check(&Tree::of(&[("docs/a.md", text), ("docs/b.md", PAGE), ("README.md", "# Top\n")])).len()
}

#[test]
fn links_that_lead_somewhere_are_fine() {
    assert_eq!(
        found("[b](b.md) [r](../README.md#top) [d](../docs/) [w](https://x.io/y#z)\n# Here\n[self](#here)\n"),
        0
    );
    assert_eq!(found("[b][1]\n\n[1]: ./b.md \"title\"\n[^1]: A footnote.\n"), 0);
}

#[test]
fn links_that_lead_nowhere_are_problems() {
    assert_eq!(found("[c](c.md) and [d](d.md)\n"), 2);
    assert_eq!(found("[c][1]\n\n[1]: c.md\n"), 1);
    assert_eq!(found("[outside](../../x.md)\n"), 1);
}

#[test]
fn a_fragment_names_a_heading_or_an_anchor() {
    assert_eq!(found("[b](b.md#where-its-read-and-why) [c](b.md#p-001)\n"), 0);
    assert_eq!(found("[b](b.md#where) [c](b.md#p-002) [self](#here)\n"), 3);
}

#[test]
fn code_has_no_links() {
    assert_eq!(found("```\n[c](c.md)\n```\n`[c](c.md)` and `a` [b](b.md)\n"), 0);
}

use super::*;

fn found(text: &str) -> usize {
    check(&Tree::of(&[("docs/a.md", text), ("docs/b.md", ""), ("README.md", "")])).len()
}

#[test]
fn links_that_lead_somewhere_are_fine() {
    assert_eq!(found("[b](b.md) [r](../README.md#top) [d](../docs/) [self](#here) [w](https://x.io/y)\n"), 0);
    assert_eq!(found("[b][1]\n\n[1]: ./b.md \"title\"\n[^1]: A footnote.\n"), 0);
}

#[test]
fn links_that_lead_nowhere_are_problems() {
    assert_eq!(found("[c](c.md) and [d](d.md)\n"), 2);
    assert_eq!(found("[c][1]\n\n[1]: c.md\n"), 1);
    assert_eq!(found("[outside](../../x.md)\n"), 1);
}

#[test]
fn code_has_no_links() {
    assert_eq!(found("```\n[c](c.md)\n```\n`[c](c.md)` and `a` [b](b.md)\n"), 0);
}

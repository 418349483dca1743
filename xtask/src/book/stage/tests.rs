use super::turned;

fn book(path: &str) -> bool {
    ["docs/errors.md", "docs/decisions.md"].contains(&path)
}

#[test]
fn a_link_out_of_the_book_leads_to_the_repository() {
    let text =
        "See [the map](../ARCHITECTURE.md#code-map), [errors](errors.md#rbac) and [raw](benchmarks/raw).\n";
    let expected = "See [the map](https://github.com/kube-informer/kube-informer/blob/main/ARCHITECTURE.md#code-map), \
                    [errors](errors.md#rbac) and \
                    [raw](https://github.com/kube-informer/kube-informer/blob/main/docs/benchmarks/raw).\n";
    assert_eq!(turned("docs/decisions.md", text, &book), expected);
}

#[test]
fn what_is_elsewhere_anyway_and_code_stay() {
    let text = "[a](https://example.com/x) [b](#here)\n```md\n[c](../README.md)\n```\n";
    assert_eq!(turned("docs/errors.md", text, &book), text);
}

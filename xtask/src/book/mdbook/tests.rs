use super::is_complaint;

#[test]
fn warnings_and_errors_are_complaints() {
    assert!(is_complaint(" WARN unclosed HTML tag `<details>` found in `faq.md`"));
    assert!(is_complaint("2026-01-01T00:00:00 ERROR cannot include"));
    assert!(!is_complaint(" INFO Book building has started"));
    assert!(!is_complaint(" INFO a page about ERROR events"));
}

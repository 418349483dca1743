use super::*;

const SOURCE: (&str, &str) = (
    "a.rs",
    "#[test]
fn b_006_order() {}

#[tokio::test(start_paused = true)]
/// Text.
#[should_panic]
async fn b_004_b_006_more() {}

#[test]
fn other() {}

fn b_006_aid<T>() {}
",
);

/// A ledger that answers everything, with `row` instead of the row of B-006.
fn ledger_with(row: &str) -> String {
    let head = "# Ledger\n\n| number | tag | decision | answer | tests |\n|---|---|---|---|---|\n";
    format!("{head}| B-001…B-005 | Q | n/a | x | – |\n{row}\n| B-007…B-600 | Q | n/a | a \\| b | – |\n")
}

fn problems(row: &str) -> Vec<String> {
    let ledger = ledger_with(row);
    let tree = Tree::of(&[(LEDGER, &ledger), SOURCE]);
    check(&tree).into_iter().map(|problem| format!("{}: {}", problem.line, problem.text)).collect()
}

#[test]
fn a_complete_ledger_is_fine() {
    let none: [&str; 0] = [];
    assert_eq!(
        problems("| B-006 | N | kept | text | `b_006_order`, `store::tests::b_004_b_006_more` |"),
        none
    );
    assert_eq!(problems("| B-006 | C, N | improved: no copy | text | `b_004_b_006_more`, `other` |"), none);
    assert_eq!(problems("| B-006 | C | n/a | text | – |"), none);
    assert_eq!(problems("| B-006 | Q | kept | text | – |"), none);
}

#[test]
fn a_test_that_does_not_exist_is_a_problem() {
    assert_eq!(problems("| B-006 | N | kept | text | `b_006_gone` |"), ["6: there is no `fn b_006_gone`"]);
}

#[test]
fn a_function_that_is_no_test_is_a_problem() {
    assert_eq!(problems("| B-006 | N | kept | text | `b_006_aid` |"), ["6: `fn b_006_aid` is not a test"]);
    assert_eq!(problems("| B-006 | Q | kept | text | `b_006_aid` |"), ["6: `fn b_006_aid` is not a test"]);
}

#[test]
fn a_contract_or_number_needs_a_test() {
    let expected = ["6: B-006 needs a test in the last column whose name carries it"];
    assert_eq!(problems("| B-006 | N | kept | text | – |"), expected);
    assert_eq!(problems("| B-006 | C | improved | text | – |"), expected);
    assert_eq!(problems("| B-006 | C | improved | text | `other` |"), expected);
    assert_eq!(problems("| B-006 | C/Q | kept | text | `other` |"), expected);
    assert_eq!(problems("| B-006 | Q | kept | text | `other` |"), [""; 0], "a decision on a quirk need not");
}

#[test]
fn an_unknown_decision_is_a_problem() {
    assert_eq!(
        problems("| B-006 | Q | maybe | text | – |"),
        ["6: `maybe` is no decision: kept, improved, n/a"]
    );
}

#[test]
fn a_number_without_a_row_or_with_two_is_a_problem() {
    assert_eq!(problems(""), ["0: B-006 has no row"]);
    assert_eq!(problems("| B-005, B-006 | Q | kept | text | – |"), ["6: B-005 has a row already, line 5"]);
}

#[test]
fn a_missing_ledger_is_a_problem() {
    assert_eq!(check(&Tree::of(&[SOURCE])).len(), 1);
}

use super::*;

const FACTS: &str = "| <a id=\"p-001\"></a>P-001 | text | `p_001_lists`, `b_006_p_001_d1_more` |\n";
const DECISIONS: &str = "## <a id=\"d1\"></a>D1 Bytes\n\n*Tests.* `b_006_p_001_d1_more`.\n";
const LEDGER: &str = "| <a id=\"w-06\"></a>W-06 | text | – |\n";
const TESTS: &str = "#[test]\nfn p_001_lists() {}\n#[test]\nfn b_006_p_001_d1_more() {}\n";

fn problems(files: &[(&str, &str)]) -> Vec<String> {
    let pages = [
        ("docs/protocol.md", FACTS),
        ("docs/decisions.md", DECISIONS),
        ("docs/client-go-behaviours.md", LEDGER),
        ("a.rs", TESTS),
    ];
    let replaced = |path: &str| files.iter().any(|(other, _)| *other == path);
    let mut all: Vec<(&str, &str)> = pages.into_iter().filter(|(path, _)| !replaced(path)).collect();
    all.extend(files.iter().filter(|(_, text)| !text.is_empty()));
    check(&Tree::of(&all)).into_iter().map(|problem| problem.to_string()).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn codes_with_entries_are_fine() {
    assert_eq!(problems(&[]), NONE);
    assert_eq!(problems(&[("b.rs", "// P-001 and D1, W-06, B-006, B-060c.\n")]), NONE);
    assert_eq!(
        problems(&[("README.md", "See [P-001](docs/protocol.md#p-001), `p_001_lists`, `p_…`.\n")]),
        NONE
    );
}

#[test]
fn a_code_without_an_entry_is_a_problem() {
    assert_eq!(
        problems(&[("b.rs", "\n// As P-002 says.\n")]),
        ["b.rs:2: P-002 has no entry in docs/protocol.md"]
    );
    assert_eq!(problems(&[("README.md", "D2\n")]), ["README.md:1: D2 has no entry in docs/decisions.md"]);
    assert_eq!(
        problems(&[("README.md", "B-999\n")]),
        ["README.md:1: B-999 has no entry in docs/client-go-behaviours.md"]
    );
}

#[test]
fn a_test_whose_code_has_no_entry_is_a_problem() {
    let found = |name: &str| problems(&[("b.rs", &format!("#[tokio::test]\nasync fn {name}() {{}}\n"))]);
    assert_eq!(found("p_002_x"), ["b.rs:2: P-002 has no entry in docs/protocol.md"]);
    assert_eq!(found("b_006_d15_x"), ["b.rs:2: D15 has no entry in docs/decisions.md"]);
    assert_eq!(found("w_36_x"), ["b.rs:2: W-36 has no entry in docs/client-go-behaviours.md"]);
    assert_eq!(found("dry_p_runs_2_d1000_x"), NONE, "nothing of this is a code");
    assert_eq!(problems(&[("b.rs", "fn p_002_aid() {}\n")]), NONE, "no test");
}

#[test]
fn a_test_that_a_page_names_has_to_exist() {
    assert_eq!(problems(&[("README.md", "`d1_gone`\n")]), ["README.md:1: there is no test `d1_gone`"]);
    assert_eq!(
        problems(&[("README.md", "`a::p_001_gone`\n")]),
        ["README.md:1: there is no test `p_001_gone`"]
    );
    assert_eq!(problems(&[("README.md", "`p_001`, `p_001_…`, `d1_`\n")]), NONE, "no names of tests");
}

#[test]
fn a_fact_names_tests_that_carry_its_number() {
    let facts = "| <a id=\"p-001\"></a>P-001 | text | `p_001_lists` |\n| <a id=\"p-002\"></a>P-002 | text | `p_001_lists` |\n";
    assert_eq!(
        problems(&[("docs/protocol.md", facts)]),
        ["docs/protocol.md:2: `p_001_lists` does not carry P-002"]
    );
    let facts = "| <a id=\"p-001\"></a>P-001 | `p_001_lists` | – |\n";
    assert_eq!(problems(&[("docs/protocol.md", facts)]), ["docs/protocol.md:1: P-001 names no test"]);
}

#[test]
fn an_entry_is_in_its_page_and_there_once() {
    let twice = format!("{FACTS}{FACTS}");
    assert_eq!(
        problems(&[("docs/protocol.md", &twice)]),
        ["docs/protocol.md:2: P-001 has an entry already, line 1"]
    );
    let elsewhere = format!("{DECISIONS}<a id=\"p-001\"></a>P-001\n");
    assert_eq!(
        problems(&[("docs/decisions.md", &elsewhere)]),
        ["docs/decisions.md:4: P-001 is not explained in this page"]
    );
}

#[test]
fn a_missing_page_is_a_problem() {
    let found = problems(&[("docs/decisions.md", "")]);
    assert!(
        found.contains(&"docs/decisions.md: the page that explains codes is missing".to_owned()),
        "{found:?}"
    );
}

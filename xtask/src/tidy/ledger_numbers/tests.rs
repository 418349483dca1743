use super::*;

#[test]
fn cells_with_one_number_several_or_a_range() {
    let covered = |cell: &str| {
        let ranges = parse(cell).unwrap();
        required().into_iter().filter(|number| ranges.iter().any(|range| range.contains(*number))).count()
    };
    assert_eq!(covered("B-006"), 1);
    assert_eq!(covered("B-006, B-008"), 2);
    assert_eq!(covered("B-111…B-123"), 13);
    assert_eq!(covered("B-060…B-061"), 5, "B-060a, b and c lie between");
    assert_eq!(covered("B-060a…B-060c"), 3);
    assert_eq!(covered("B-060"), 1);
}

#[test]
fn names_of_tests_carry_numbers() {
    let carries = |cell: &str, test: &str| number(cell).unwrap().is_in(test);
    assert!(carries("B-006", "b_006_waits_double"));
    assert!(carries("B-006", "store::tests::b_004_b_006_waits_double"));
    assert!(carries("B-006", "waits_double_b_006"));
    assert!(carries("B-060c", "b_060c_old_servers"));
    assert!(!carries("B-060", "b_060c_old_servers"));
    assert!(!carries("B-006", "b_0061_x"));
    assert!(!carries("B-006", "tab_006_x"));
    assert!(!carries("B-006", "b_006::other"), "a module is not the test");
}

#[test]
fn anything_else_is_not_a_cell_of_numbers() {
    for cell in ["", "Number", "B-6", "B-006 B-007", "B-008…B-006", "B-001…B-002…B-003", "---"] {
        assert_eq!(parse(cell), None, "{cell}");
    }
}

#[test]
fn the_required_numbers_are_those_of_the_table() {
    let numbers = required();
    assert_eq!(
        numbers.len(),
        69 + 3
            + 24
            + 18
            + 7
            + 2
            + 3
            + 29
            + 54
            + 8
            + 4
            + 11
            + 6
            + 7
            + 16
            + 11
            + 8
            + 8
            + 5
            + 8
            + 2
            + 3
            + 1
            + 7
            + 6
            + 1
    );
    assert_eq!(numbers[60].to_string(), "B-060a");
}

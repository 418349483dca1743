use super::Table;

#[test]
fn columns_are_aligned() {
    let mut table = Table::new(vec!["client".to_owned(), "µs".to_owned()]);
    table.row(vec!["ours".to_owned(), "7.25".to_owned()]);
    assert_eq!(table.render(), "| client |   µs |\n|--------|-----:|\n| ours   | 7.25 |\n");
}

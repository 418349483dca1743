use super::*;
use crate::top::testing::{document, informer, said};

fn informers() -> Vec<Informer> {
    document(&said(1, &[informer("pods", "watching", 12_345, 9)], &[])).informers
}

fn shown(columns: usize) -> Vec<Column> {
    Table::fit(&informers(), columns).0.into_iter().map(|(column, _)| column).collect()
}

#[test]
fn columns_go_in_a_fixed_order_and_the_rest_fits() {
    assert_eq!(shown(119), Column::ALL);
    let mut before = Column::ALL.len();
    for columns in (39..119).rev() {
        let table = Table::fit(&informers(), columns);
        let (titles, row) = (table.titles(Sort::default()), table.row(&informers()[0]));
        let row: String = row.into_iter().map(|(_, cell)| cell).collect();
        assert!(width(&titles) <= columns && width(&row) <= columns, "{columns}: {titles:?}");
        assert_eq!(width(&titles), width(&row), "{columns}");
        assert!(table.0.len() <= before, "{columns}");
        before = table.0.len();
    }
    use Column::{Backlog, Events, Heard, Memory, Name, Objects, Phase};
    assert_eq!(shown(79), [Name, Phase, Objects, Heard, Events, Memory, Backlog], "80 columns with the mark");
    assert_eq!(shown(39), [Name, Phase]);
}

#[test]
fn columns_do_not_move_with_the_numbers() {
    let few = document(&said(1, &[informer("pods", "watching", 0, 0)], &[])).informers;
    let many =
        document(&said(1, &[informer("pods", "unreachable", u64::MAX / 2_000, u64::MAX / 2)], &[])).informers;
    assert_eq!(Table::fit(&few, 119), Table::fit(&many, 119));
    let (table, sort) = (Table::fit(&few, 119), Sort::by(Column::Objects));
    assert_eq!(width(&table.titles(sort)), width(&table.titles(sort.reversed())));
    assert!(table.titles(sort).contains(" ▾OBJECTS  HEARD"), "{}", table.titles(sort));
}

#[test]
fn a_long_name_gets_the_room_that_is_left() {
    let long = "horizontalpodautoscalers.autoscaling and more";
    let informers = document(&said(1, &[informer(long, "watching", 1, 1)], &[])).informers;
    let name = |columns| Table::fit(&informers, columns).row(&informers[0])[0].1.clone();
    assert_eq!(name(79), "horizontalpodau…");
    assert_eq!(name(200), long);
}

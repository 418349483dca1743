use super::*;

#[test]
fn what_does_not_fit_is_left_out_from_the_right() {
    let fields = [Field::number("DUE", 5), Field::text("KEY", 8)];
    let rows = [vec!["web".to_owned(), "12".to_owned(), "shop/web-00017".to_owned()]];
    assert_eq!(
        grid(("QUEUE", 12), &fields, &rows, 30),
        ["QUEUE            DUE  KEY     ", "web               12  shop/we…"]
    );
    assert_eq!(grid(("QUEUE", 12), &fields, &rows, 20), ["QUEUE            DUE", "web               12"]);
    assert_eq!(grid(("QUEUE", 12), &fields, &rows, 4), ["QUE…", "web "]);
}

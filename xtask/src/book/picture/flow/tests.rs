use super::draw;

#[test]
fn boxes_stand_in_their_columns_and_rows() {
    let svg = draw(&["box a 0,0 AA", "box b 1,0 BB | more", "arrow a b go"]).unwrap();
    assert_eq!(svg.matches("class=\"box\"").count(), 2);
    // The gap between the columns has room for the text of the arrow.
    assert!(svg.contains(">go</text>") && svg.contains(">more</text>"), "{svg}");
    assert!(svg.contains("aria-label=\"AA, BB\""), "{svg}");
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let told = |lines: &[&str]| draw(lines).unwrap_err().to_string();
    assert_eq!(told(&["box a 0,0 A", "arrow a b"]), "there is no box `b`");
    assert_eq!(told(&["box a 0,0 A", "box a 1,0 A"]), "there are two boxes `a`");
    assert_eq!(told(&["box a 0 A"]), "`box a 0 A` is not a box");
    assert_eq!(told(&["circle a"]), "`circle a` is neither a box nor an arrow");
    assert!(told(&["box a 0,0 A", "box b 1,0 B", "arrow b a"]).contains("back to the left"));
}

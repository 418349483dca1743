use super::{draw, draw_all};
use crate::cargo::workspace_root;

#[test]
fn what_it_is_has_to_be_said() {
    assert!(draw("# only a comment\nbox a 0,0 A").is_err());
    assert!(draw("# a comment\nflow\n\nbox a 0,0 A").is_ok());
}

#[test]
fn a_picture_that_is_not_up_to_date_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.txt"), "flow\nbox a 0,0 A\n").unwrap();
    assert!(draw_all(folder.path(), true).unwrap_err().to_string().contains("cargo xtask book"));
    assert_eq!(draw_all(folder.path(), false).unwrap(), 1);
    assert_eq!(draw_all(folder.path(), true).unwrap(), 1);
}

#[test]
fn the_pictures_of_the_book_are_up_to_date() {
    assert_eq!(draw_all(&workspace_root().join("docs/pictures"), true).unwrap(), 4);
}

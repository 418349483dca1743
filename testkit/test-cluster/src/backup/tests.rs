use super::*;

#[test]
fn the_copy_has_the_files_of_the_original_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    fs::create_dir_all(from.join("inner")).unwrap();
    fs::write(from.join("inner/file"), "one").unwrap();
    replace(&from, &to).unwrap();
    fs::write(to.join("another"), "two").unwrap();
    replace(&from, &to).unwrap();
    assert_eq!(fs::read_to_string(to.join("inner/file")).unwrap(), "one");
    assert!(!to.join("another").exists());
}

#[test]
fn a_missing_original_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = replace(&dir.path().join("none"), &dir.path().join("to")).unwrap_err();
    assert!(format!("{error:#}").contains("none"), "{error:#}");
}

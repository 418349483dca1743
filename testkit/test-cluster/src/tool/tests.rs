use super::*;

#[test]
fn another_source_is_another_program() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("main.go"), "package main").unwrap();
    let one = fingerprint(dir.path()).unwrap();
    fs::write(dir.path().join("notes.txt"), "no source").unwrap();
    assert_eq!(fingerprint(dir.path()).unwrap(), one);
    fs::write(dir.path().join("go.sum"), "x").unwrap();
    assert_ne!(fingerprint(dir.path()).unwrap(), one);
}

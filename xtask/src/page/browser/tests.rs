use super::*;

#[test]
fn another_file_and_none_are_not_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    };
    assert!(same(&file("one", "1"), &file("two", "1")));
    assert!(!same(&file("one", "1"), &file("two", "2")));
    assert!(!same(&file("one", "1"), &folder.path().join("none")));
}

#[test]
fn the_scripts_fetch_one_package_and_no_browser() {
    let lock = fs::read_to_string(workspace_root().join(SCRIPTS).join(LOCK)).unwrap();
    let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
    let packages: Vec<_> = lock["packages"].as_object().unwrap().keys().collect();
    assert_eq!(packages, ["", "node_modules/playwright-core"]);
}

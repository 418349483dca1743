use super::*;

#[test]
fn what_npm_did_not_finish_or_did_for_another_lock_file_is_not_installed() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from"), folder.path().join("to"));
    fs::create_dir(&from).unwrap();
    fs::create_dir_all(to.join("node_modules")).unwrap();
    fs::write(from.join(LOCK), "1").unwrap();
    fs::write(to.join(LOCK), "1").unwrap();
    assert!(!is_installed(&from, &to));
    fs::write(to.join(INSTALLED), "").unwrap();
    assert!(is_installed(&from, &to));
    fs::write(from.join(LOCK), "2").unwrap();
    assert!(!is_installed(&from, &to));
    fs::remove_file(to.join(LOCK)).unwrap();
    assert!(!is_installed(&from, &to));
}

#[test]
fn the_scripts_fetch_one_package_and_no_browser() {
    let lock = fs::read_to_string(workspace_root().join(SCRIPTS).join(LOCK)).unwrap();
    let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
    let packages: Vec<_> = lock["packages"].as_object().unwrap().keys().collect();
    assert_eq!(packages, ["", "node_modules/playwright-core"]);
}

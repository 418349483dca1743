use std::collections::BTreeSet;

use super::*;

#[test]
fn a_directory_is_brought_to_exactly_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| File { name: name.into(), text: text.into() };
    let files = [file("a.rs", "a\n"), file("b.rs", "b\n")];
    fs::write(directory.path().join("a.rs"), "a\n").unwrap();
    fs::write(directory.path().join("b.rs"), "old\n").unwrap();
    fs::write(directory.path().join("c.rs"), "c\n").unwrap();
    let found = changes(directory.path(), &files).unwrap();
    let shown: Vec<String> = found.iter().map(Change::to_string).collect();
    assert_eq!(
        shown,
        [
            format!("{DIRECTORY}/b.rs, at line 1:\n- old\n+ b"),
            format!("{DIRECTORY}/c.rs is no longer needed")
        ]
    );
    for change in &found {
        change.make(directory.path()).unwrap();
    }
    assert!(changes(directory.path(), &files).unwrap().is_empty());
}

/// Counts what the sources declare, in another way than the extraction does.
#[test]
fn no_kind_of_the_newest_kubernetes_is_forgotten() {
    let sources = sources().unwrap();
    let kinds = k8s_openapi::kinds(&sources).unwrap();
    let newest = fs::read_dir(&sources)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .max()
        .unwrap();
    let mut declared = BTreeSet::new();
    let mut directories = vec![newest];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            // `const LIST_KIND: &'static str = "PodList";`, and the group and version in the same file.
            let Some((_, rest)) = text.split_once("const LIST_KIND: &'static str = \"") else { continue };
            let Some((kind, _)) = rest.split_once("List\";") else { continue };
            let api_version = text.split("const API_VERSION: &'static str = \"").nth(1).unwrap();
            declared.insert((api_version.split('"').next().unwrap().to_owned(), kind.to_owned()));
        }
    }
    let found: BTreeSet<(String, String)> = kinds
        .iter()
        .filter(|kind| kind.availability.last.is_none())
        .map(|kind| {
            let group = if kind.group.is_empty() { String::new() } else { format!("{}/", kind.group) };
            (group + &kind.version, kind.kind.clone())
        })
        .collect();
    declared.remove(&("v1".to_owned(), "ComponentStatus".to_owned()));
    assert!(found.len() > 80, "{}", found.len());
    assert_eq!(found, declared);
}

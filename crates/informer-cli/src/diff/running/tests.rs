use super::*;

fn seen(uid: &str, version: &str, digest: &str) -> Seen {
    Seen { uid: uid.to_owned(), version: version.to_owned(), digest: Some(digest.to_owned()) }
}

fn objects(of: &[(&str, Seen)]) -> Objects {
    of.iter().map(|(key, seen)| ((*key).to_owned(), seen.clone())).collect()
}

#[test]
fn each_sort_of_drift_is_named() {
    let cached = objects(&[
        ("a/same", seen("u", "1", "x")),
        ("a/extra", seen("u", "1", "x")),
        ("a/old", seen("u", "1", "x")),
        ("a/other", seen("u", "1", "x")),
        ("a/content", seen("u", "1", "x")),
    ]);
    let server = objects(&[
        ("a/same", seen("u", "1", "x")),
        ("a/missing", seen("u", "2", "x")),
        ("a/old", seen("u", "3", "y")),
        ("a/other", seen("v", "4", "x")),
        ("a/content", seen("u", "1", "y")),
    ]);
    let found = differences(&cached, &server, true);
    let text: Vec<_> = found.iter().map(|(key, both)| format!("{key}: {}", told(both))).collect();
    let wanted = [
        "a/content: version 1 in both, with another content",
        "a/extra: not on the server; the program has version 1",
        "a/missing: not in the program; the server has version 2",
        "a/old: version 1 in the program, 3 on the server",
        "a/other: another object with the same name",
    ];
    assert_eq!(text, wanted);
    assert_eq!(differences(&cached, &server, false).len(), 4, "contents are not compared");
    assert!(differences(&cached, &cached, true).is_empty());
}

#[test]
fn names_become_parts_of_paths() {
    assert_eq!(encoded("pods web-0"), "pods%20web-0");
    assert_eq!(encoded("a/b.c~d_é"), "a%2Fb.c~d_%C3%A9");
}

use super::*;

const PROGRAM: Program = Program { name: "etcd", package: "x/etcd", takes: "a while", tags: "" };

#[test]
fn the_build_whose_parts_are_pinned_is_found() {
    let dir = tempfile::tempdir().unwrap();
    for (build, made_of) in [("etcd-1", "old"), ("etcd-2", "new"), ("etcd-3", "new"), ("other-1", "newest")] {
        fs::create_dir(dir.path().join(build)).unwrap();
        fs::write(dir.path().join(build).join(MADE_OF), made_of).unwrap();
    }
    let found = |made_of: &str| find(dir.path(), &PROGRAM, &|other| other == made_of);
    fs::write(dir.path().join("etcd-1/etcd"), "").unwrap();
    assert_eq!(found("old"), Some(dir.path().join("etcd-1/etcd")));
    assert_eq!(found("new"), None, "neither of the two has a program");
    fs::write(dir.path().join("etcd-3/etcd"), "").unwrap();
    assert_eq!(found("new"), Some(dir.path().join("etcd-3/etcd")));
    assert_eq!(found("newest"), None, "that of another program");
}

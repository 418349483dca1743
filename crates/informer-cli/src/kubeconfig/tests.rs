use super::*;

#[test]
fn a_kubeconfig_that_somebody_else_wrote_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    write(&file, "one: 1, and more\n").unwrap();
    write(&file, "two: 2\n").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{OURS}two: 2\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    for theirs in ["apiVersion: v1\nclusters: []\n", "#", &OURS[1..], "\n", &OURS.replace('`', "'")] {
        std::fs::write(&file, theirs).unwrap();
        let failure = format!("{:?}", write(&file, "three").unwrap_err());
        assert!(failure.contains("left as it is; remove it, or name another file"), "{failure}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), theirs);
    }
    // As `mktemp` makes it.
    std::fs::write(&file, "").unwrap();
    write(&file, "four").unwrap();
    assert!(write(folder.path(), "five").is_err(), "a directory");
}

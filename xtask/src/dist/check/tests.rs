use super::{LOADERS, binary, commands, documentation, is_in};

#[test]
fn a_loader_is_found_in_a_dynamic_binary() {
    assert!(is_in(b"\x7fELF\0/lib64/ld-linux-x86-64.so.2\0", LOADERS[0]));
    assert!(!is_in(b"\x7fELF\0nothing of it", LOADERS[0]));
}

#[test]
fn an_archive_without_its_parts_is_refused() {
    let empty = tempfile::tempdir().unwrap();
    assert!(binary(empty.path()).is_err());
    assert!(format!("{:#}", documentation(empty.path(), &[]).unwrap_err()).contains("informer.1"));
}

#[test]
fn every_command_needs_a_page() {
    let help = "Usage: informer <COMMAND>\n\nCommands:\n  watch  Shows\n  man    Prints\n  help   Print this\n\nOptions:\n  -h\n";
    let commands = commands(help).unwrap();
    assert_eq!(commands, ["watch", "man"]);
    let folder = tempfile::tempdir().unwrap();
    let manual = folder.path().join("man/man1");
    std::fs::create_dir_all(&manual).unwrap();
    for page in ["informer.1", "informer-watch.1"] {
        std::fs::write(manual.join(page), ".SH NAME").unwrap();
    }
    let missing = documentation(folder.path(), &commands).unwrap_err();
    assert!(format!("{missing:#}").contains("informer-man.1"), "{missing:#}");
    assert!(super::commands("Usage: informer").is_err());
}

#[test]
fn a_dynamic_binary_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("informer"), b"\x7fELF/lib/ld-musl-x86_64.so.1").unwrap();
    assert!(binary(folder.path()).unwrap_err().to_string().contains("is not static"));
}

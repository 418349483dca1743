use super::*;

fn found(toml: &str) -> usize {
    check(&Tree::of(&[("crates/a/Cargo.toml", toml)])).len()
}

#[test]
fn a_crate_must_take_part() {
    assert_eq!(found("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"), 0);
    assert_eq!(found("[package]\nname = \"a\"\n"), 1);
    assert_eq!(found("[package]\n[lints]\n[dependencies]\nworkspace = true\n"), 1);
}

#[test]
fn a_workspace_must_forbid_unsafe_code() {
    assert_eq!(found("[workspace]\n[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"), 0);
    assert_eq!(found("[workspace]\n[workspace.lints.rust]\nunsafe_code = \"warn\"\n"), 1);
}

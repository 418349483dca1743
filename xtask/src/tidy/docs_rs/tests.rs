use super::*;

fn found(toml: &str) -> usize {
    let toml = format!("{toml}\n[package.metadata.docs.rs]\nfeatures = [\"own\", \"some-crate/latest\"]\n");
    check(&Tree::of(&[("crates/a/Cargo.toml", &toml)])).len()
}

#[test]
fn features_of_the_crate_and_of_its_dependencies_are_fine() {
    assert_eq!(found("[dependencies]\nsome-crate.workspace = true\n[features]\nown = []"), 0);
    assert_eq!(found("[dependencies]\nsome-crate = \"1\"\n[features]\nown = []"), 0);
    assert_eq!(check(&Tree::of(&[("Cargo.toml", "[package]\nname = \"a\"\n")])), []);
}

#[test]
fn those_of_dev_dependencies_and_of_nobody_are_not() {
    assert_eq!(found("[dev-dependencies]\nsome-crate = \"1\"\n[features]\nown = []"), 1);
    assert_eq!(found("[dependencies]\nsome-crate-two = \"1\"\n[features]\nown = []"), 1);
    assert_eq!(found(""), 2);
}

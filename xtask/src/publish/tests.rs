use super::*;

#[test]
fn what_a_package_lacks_is_named() {
    let package = Package {
        name: "a".to_owned(),
        rust_version: "1.89".to_owned(),
        has_library: true,
        docs_features: Vec::new(),
        lacks: vec!["keywords"],
    };
    let complete = "Cargo.lock\nCargo.toml\nLICENSE\nREADME.md\nsrc/lib.rs\n";
    assert_eq!(missing(&package, complete), ["a is published without keywords"]);
    let without = missing(&package, "Cargo.toml\nREADME.md\nsrc/LICENSE\n");
    assert_eq!(without, ["a is published without LICENSE", "a is published without keywords"]);
}

use super::*;

fn package(rust_version: &str) -> Package {
    Package {
        name: "a".to_owned(),
        rust_version: rust_version.to_owned(),
        has_library: true,
        docs_features: Vec::new(),
        lacks: Vec::new(),
    }
}

#[test]
fn all_packages_declare_the_same() {
    assert_eq!(version(&[package("1.89"), package("1.89")]).unwrap(), "1.89");
    assert!(version(&[package("1.89"), package("1.90")]).is_err());
    assert!(version(&[]).is_err());
}

use super::*;

fn write(root: &Path, version: &str, kind: &str, with_list: bool, scope: &str) {
    let directory = root.join(version).join("api/shop/v1");
    fs::create_dir_all(&directory).unwrap();
    let list = if with_list {
        format!("impl crate::ListableResource for {kind} {{\n    const LIST_KIND: &'static str = \"\";\n}}\n")
    } else {
        String::new()
    };
    let text = format!(
        "pub struct {kind} {{\n}}\n\nimpl crate::Resource for {kind} {{\n\
         \x20   const API_VERSION: &'static str = \"shop.k8s.io/v1\";\n\
         \x20   const GROUP: &'static str = \"shop.k8s.io\";\n\
         \x20   const KIND: &'static str = \"{kind}\";\n\
         \x20   const VERSION: &'static str = \"v1\";\n\
         \x20   const URL_PATH_SEGMENT: &'static str = \"{}s\";\n\
         \x20   type Scope = crate::{scope};\n}}\n{list}impl crate::Metadata for {kind} {{\n}}\n",
        kind.to_lowercase()
    );
    fs::write(directory.join(format!("{}.rs", kind.to_lowercase())), text).unwrap();
}

#[test]
fn kinds_that_can_be_listed_are_found_with_their_versions() {
    let root = tempfile::tempdir().unwrap();
    for version in ["v1_33", "v1_34", "v1_35"] {
        write(root.path(), version, "Basket", true, "NamespaceResourceScope");
        write(root.path(), version, "Review", false, "ClusterResourceScope");
        write(root.path(), version, "Part", true, "SubResourceScope");
    }
    write(root.path(), "v1_34", "Till", true, "ClusterResourceScope");
    write(root.path(), "v1_35", "Till", true, "ClusterResourceScope");
    write(root.path(), "v1_33", "Ledger", true, "ClusterResourceScope");
    let found: Vec<_> = kinds(root.path())
        .unwrap()
        .into_iter()
        .map(|kind| (kind.type_path, kind.plural, kind.scope, kind.availability))
        .collect();
    let always = Availability::ALWAYS;
    assert_eq!(
        found,
        [
            ("k8s_openapi::api::shop::v1::Basket".into(), "baskets".into(), SpecScope::Namespaced, always),
            (
                "k8s_openapi::api::shop::v1::Ledger".into(),
                "ledgers".into(),
                SpecScope::Cluster,
                Availability { first: None, last: Some(33) }
            ),
            (
                "k8s_openapi::api::shop::v1::Till".into(),
                "tills".into(),
                SpecScope::Cluster,
                Availability { first: Some(34), last: None }
            ),
        ]
    );
}

#[test]
fn what_cannot_be_expressed_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    assert!(kinds(root.path()).unwrap_err().to_string().contains("no directory v1_*"));
    for version in ["v1_33", "v1_34", "v1_35"] {
        write(root.path(), version, "Basket", true, "NamespaceResourceScope");
    }
    write(root.path(), "v1_33", "Till", true, "ClusterResourceScope");
    write(root.path(), "v1_35", "Till", true, "ClusterResourceScope");
    assert!(format!("{:#}", kinds(root.path()).unwrap_err()).contains("comes and goes: {33, 35}"));
    write(root.path(), "v1_34", "Till", true, "NamespaceResourceScope");
    assert!(kinds(root.path()).unwrap_err().to_string().contains("is not the same as at"));
    write(root.path(), "v1_34", "Till", true, "OtherScope");
    assert!(format!("{:#}", kinds(root.path()).unwrap_err()).contains("OtherScope"));
}

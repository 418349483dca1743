//! The YAML of README.md and the book can be parsed, and its rules are rules of Kubernetes.

use std::fs;
use std::path::{Path, PathBuf};

use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::api::rbac::v1::PolicyRule;
use serde_json::Value;

#[test]
fn the_yaml_of_the_book_is_what_kubernetes_takes() {
    let mut found = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for block in text.split("```yaml\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)) {
            if let Err(complaint) = parsed(block) {
                panic!("{}: {complaint} in\n{block}", page.display());
            }
            found += 1;
        }
    }
    assert!(found >= 5, "blocks are found: {found}");
    assert!(parsed("rules:\n  - apiGroups: [\"\"\n").is_err(), "what is no YAML is found");
    assert!(parsed("rules:\n  - apiGroups: [\"\"]\n    verb: [list]\n").is_err(), "and what is no rule");
}

/// README.md and the pages of the book.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_dir(root.join("docs")).expect("the book");
    let pages = docs.map(|entry| entry.expect("a page").path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.chain([root.join("README.md")]).collect()
}

/// The error says what cannot be read, or is not known.
fn parsed(block: &str) -> Result<(), String> {
    let document: Value = serde_saphyr::from_str(block).map_err(|error| error.to_string())?;
    let Value::Object(members) = &document else { return Err("no members".to_owned()) };
    for (name, value) in members {
        match name.as_str() {
            "rules" => is_all_of::<Vec<PolicyRule>>(value)?,
            "containers" => is_all_of::<PodSpec>(&document)?,
            _ => {}
        }
    }
    Ok(())
}

/// Whether every member of it is one of the type: what the type does not know would be lost.
fn is_all_of<T: serde::de::DeserializeOwned + serde::Serialize>(value: &Value) -> Result<(), String> {
    let known: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let known = serde_json::to_value(known).map_err(|error| error.to_string())?;
    if known == *value { Ok(()) } else { Err(format!("only this is known: {known}")) }
}

use serde_json::json;

use super::*;

#[test]
fn those_that_are_published_are_read() {
    let metadata = json!({ "packages": [
        {
            "name": "one", "publish": null, "rust_version": "1.89", "description": "One", "license": "Apache-2.0",
            "repository": "https://example.com", "readme": null, "keywords": [], "categories": ["caching"],
            "targets": [{ "kind": ["lib"] }, { "kind": ["bin"] }],
            "metadata": { "docs": { "rs": { "features": ["k8s-openapi/latest"] } } },
        },
        { "name": "two", "publish": [] },
    ]});
    let one = Package {
        name: "one".to_owned(),
        rust_version: "1.89".to_owned(),
        has_library: true,
        docs_features: vec!["k8s-openapi/latest".to_owned()],
        lacks: vec!["readme", "keywords"],
    };
    assert_eq!(read(&metadata).unwrap(), [one]);
}

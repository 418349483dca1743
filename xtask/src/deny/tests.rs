use serde_json::json;

use super::*;

const RULES: &str = r#"
[licenses]
allow = ["MIT", "Apache-2.0 WITH LLVM-exception", "ISC"]
[bans]
skip = [{ crate = "syn@2", reason = "others use it" }, { crate = "gone@1.0", reason = "was there" }]
deny = [{ crate = "openssl-sys", reason = "TLS is rustls" }]
[sources]
allow-registry = ["https://example.com/index"]
"#;

fn rules() -> Rules {
    Rules::read(RULES).unwrap()
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let is_allowed = |expression: &str| licence::is_allowed(expression, &rules().allow);
    for expression in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "MIT AND ISC", "(GPL-3.0 OR MIT) AND ISC"] {
        assert_eq!(is_allowed(expression), Some(true), "{expression}");
    }
    assert_eq!(is_allowed("Apache-2.0 WITH LLVM-exception OR GPL-3.0"), Some(true));
    for expression in ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT OR ISC) AND GPL-3.0"] {
        assert_eq!(is_allowed(expression), Some(false), "{expression}");
    }
    for expression in ["", "MIT OR", "(MIT", "MIT ISC", "AND MIT", "MIT WITH"] {
        assert_eq!(is_allowed(expression), None, "{expression}");
    }
}

#[test]
fn doubled_unwanted_and_strange_crates_are_named() {
    let package = |name: &str, version: &str, source: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\n")
    };
    let known = "registry+https://example.com/index";
    let lock = [
        "[[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n".to_owned(),
        package("syn", "2.0.1", known),
        package("syn", "3.0.0", known),
        package("rand", "0.8.0", known),
        package("rand", "0.9.0", known),
        package("openssl-sys", "0.9.0", known),
        package("odd", "1.0.0", "git+https://example.com/odd"),
    ];
    let problems = check_lock(&rules(), &locked(&lock.concat()).unwrap());
    assert_eq!(
        problems,
        [
            "openssl-sys is not wanted: TLS is rustls",
            "odd 1.0.0 comes from git+https://example.com/odd",
            "rand is there in 2 versions: 0.8.0, 0.9.0",
            "deny.toml skips gone@1.0, which is not there",
        ]
    );
}

#[test]
fn licences_that_are_not_allowed_are_named() {
    let metadata = json!({ "packages": [
        { "name": "a", "license": "MIT" },
        { "name": "b", "license": "GPL-3.0" },
        { "name": "c", "license": null },
        { "name": "d", "license": "MIT OR" },
    ]});
    assert_eq!(
        check_licences(&rules(), &metadata),
        [
            "c does not say what its licence is",
            "the licence of b is not allowed: GPL-3.0",
            "the licence of d cannot be read: MIT OR",
        ]
    );
}

#[test]
fn rules_need_their_lists_and_reasons() {
    let error = |rules: &str| Rules::read(rules).unwrap_err().to_string();
    assert!(error("[licenses]\n").contains("no list `allow` in [licenses]"));
    assert!(error(&RULES.replace(", reason = \"TLS is rustls\"", "")).contains("needs `crate` and `reason`"));
    assert!(error(&RULES.replace("syn@2", "syn")).contains("needs its version"));
}

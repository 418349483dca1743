use super::*;

fn read_text(text: &str) -> Result<Vec<KindSpec>, String> {
    read(text, &Place::file("src/kinds.rs"), "crate::kinds").map_err(|problems| problems.to_string())
}

/// Type, API version, kind, plural and scope of each kind.
fn shown(text: &str) -> Vec<String> {
    let kinds = read_text(text).unwrap();
    let show = |kind: &KindSpec| {
        let KindSpec { type_path, plural, scope, kind: name, .. } = kind;
        format!("{type_path}: {} {name} {plural} {scope:?} at {}", kind.api_version(), kind.place)
    };
    kinds.iter().map(show).collect()
}

#[test]
fn structs_with_the_derive_are_kinds() {
    let text = r#"
use kube::CustomResource;

#[derive(CustomResource, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Widget", namespaced)]
#[kube(status = "WidgetStatus", shortname = "w", printcolumn(name = "Node", type_ = "string", json_path = ".a"))]
pub struct WidgetSpec {}

#[derive(Clone)]
pub struct WidgetStatus {}

#[derive(kube::CustomResource)]
#[kube(group = "example.com", version = "v1", kind = "Policy", validation = Rule::new("self.a > 0"))]
pub struct PolicySpec {}
"#;
    assert_eq!(
        shown(text),
        [
            "crate::kinds::Widget: example.com/v1 Widget widgets Namespaced at src/kinds.rs:7:12",
            "crate::kinds::Policy: example.com/v1 Policy policies Cluster at src/kinds.rs:14:12",
        ]
    );
}

#[test]
fn names_that_differ_from_the_rule_are_taken_over() {
    let text = r#"
#[derive(CustomResource)]
#[kube(group = "a.io", version = "v1", kind = "Goose", root = "Bird", plural = "geese", namespaced = false)]
struct GooseSpec {}

#[derive(CustomResource)]
#[kube(group = "a.io", version = "v1", kind = "OX", singular = "box", namespaced = "true")]
enum OxSpec { A }
"#;
    assert_eq!(
        shown(text),
        [
            "crate::kinds::Bird: a.io/v1 Goose geese Cluster at src/kinds.rs:4:8",
            "crate::kinds::OX: a.io/v1 OX boxes Namespaced at src/kinds.rs:8:6",
        ]
    );
}

#[test]
fn modules_in_the_file_count_but_tests_do_not() {
    let kind =
        r#"#[derive(CustomResource)] #[kube(group = "a.io", version = "v2", kind = "Widget")] struct S;"#;
    let text = format!("pub mod v2 {{ {kind} }}\nmod elsewhere;\n#[cfg(test)]\nmod tests {{ {kind} }}\n");
    let types: Vec<String> = read_text(&text).unwrap().into_iter().map(|kind| kind.type_path).collect();
    assert_eq!(types, ["crate::kinds::v2::Widget"]);
}

#[test]
fn what_is_missing_is_said_at_the_struct() {
    let text = "#[derive(CustomResource)]\n#[kube(kind = \"Widget\")]\npub struct WidgetSpec {}\n";
    assert_eq!(
        read_text(text).unwrap_err(),
        "src/kinds.rs:3:12: WidgetSpec has no group: add #[kube(group = \"example.com\")]\n\
         src/kinds.rs:3:12: WidgetSpec has no version: add #[kube(version = \"v1\")]"
    );
}

#[test]
fn attributes_of_another_form_are_said_at_their_place() {
    let text =
        "#[derive(CustomResource)]\n#[kube(group = GROUP, version = \"v1\", kind = \"Widget\")]\nstruct S;\n";
    let problems = read_text(text).unwrap_err();
    assert!(problems.contains("src/kinds.rs:2:16: in #[kube(…)]: expected string literal"), "{problems}");
    let text = "#[derive(CustomResource)]\n#[kube(group = \"a.io\", version = \"v1\", kind = \"W\", namespaced = 1)]\nstruct S;\n";
    let problems = read_text(text).unwrap_err();
    assert!(problems.contains(":2:65: in #[kube(…)]: this is `true` or `false`"), "{problems}");
}

#[test]
fn what_is_not_rust_is_said_at_its_place() {
    let problems = read_text("struct A;\nstruct struct B;\n").unwrap_err();
    assert!(problems.starts_with("src/kinds.rs:2:8: not Rust: "), "{problems}");
}

#[test]
fn the_module_is_told_from_the_place_of_the_file() {
    for (path, module) in [
        ("src/lib.rs", Some("crate")),
        ("src/main.rs", Some("crate")),
        ("app/src/kinds.rs", Some("crate::kinds")),
        ("/src/app/src/kinds/mod.rs", Some("crate::kinds")),
        ("./src/kinds/v1.rs", Some("crate::kinds::v1")),
        ("src/kinds/lib.rs", Some("crate::kinds::lib")),
        ("kinds.rs", None),
        ("src/kinds.txt", None),
    ] {
        assert_eq!(module_of(Path::new(path)).as_deref(), module, "{path}");
    }
}

use serde_json::json;

use super::*;

fn messages(query: &str, form: Form) -> Vec<String> {
    let problems = problems(&Query::parse(query), form);
    problems.into_iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
}

#[test]
fn an_apply_patch_needs_a_manager_and_only_it_has_force() {
    assert_eq!(messages("", Form::Apply), ["fieldManager: Required value: is required for apply patch"]);
    assert!(messages("fieldManager=a&force=true", Form::Apply).is_empty());
    let forbidden = ["force: Forbidden: may not be specified for non-apply patch"];
    assert_eq!(messages("fieldManager=a&force=false", Form::Patch), forbidden);
    assert!(messages("", Form::NoPatch).is_empty());
}

#[test]
fn the_name_of_a_manager_is_short_and_printable() {
    let long = format!("fieldManager={}", "a".repeat(129));
    assert_eq!(messages(&long, Form::NoPatch), ["fieldManager: Too long: may not be more than 128 bytes"]);
    let bell = messages("fieldManager=a%07b", Form::Patch);
    assert!(bell[0].ends_with("invalid character U+0007 (at position 1)"), "{bell:?}");
}

#[test]
fn configurations_are_yaml_or_json() {
    let expected = json!({ "kind": "ConfigMap", "data": { "a": "1", "b": "x\ny\n" } });
    assert_eq!(configuration(expected.to_string().as_bytes()).unwrap(), expected);
    let yaml = b"kind: ConfigMap\ndata:\n  a: \"0\"\n  a: \"1\"\n  b: |\n    x\n    y\n";
    assert_eq!(configuration(yaml).unwrap(), expected);
    assert_eq!(configuration(b"[1]").unwrap_err().code, 400);
    assert_eq!(configuration(b"a: [").unwrap_err().code, 400);
}

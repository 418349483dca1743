use serde_json::json;

use super::*;

fn of(patch: &impl Serialize) -> Option<String> {
    let patch = of_version(&serde_json::to_vec(patch).unwrap(), &ResourceVersion::new("7"))?;
    Some(String::from_utf8(patch).unwrap())
}

/// Through a `Value` 0.1 would become 0.10000000149011612.
#[test]
fn a_patch_of_one_version_says_every_number_as_the_given_one() {
    #[derive(Serialize)]
    struct Spec {
        share: f32,
        many: u128,
    }
    #[derive(Serialize)]
    struct Given {
        spec: Spec,
    }
    let given = Given { spec: Spec { share: 0.1, many: u128::MAX } };
    let expected = r#"{"metadata":{"resourceVersion":"7"},"spec":{"share":0.1,"many":340282366920938463463374607431768211455}}"#;
    assert_eq!(of(&given).unwrap(), expected);
}

#[test]
fn what_a_patch_says_of_the_metadata_stays() {
    let given = json!({ "metadata": { "labels": { "a": null }, "name": "x" } });
    let expected = r#"{"metadata":{"labels":{"a":null},"name":"x","resourceVersion":"7"}}"#;
    assert_eq!(of(&given).unwrap(), expected);
}

#[test]
fn what_is_no_object_is_sent_as_it_was_given() {
    for given in [json!([{ "op": "remove", "path": "/spec" }]), json!({ "metadata": null }), json!("x")] {
        assert_eq!(of(&given), None, "{given}");
    }
}

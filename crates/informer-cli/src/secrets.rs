//! Values of Secrets are never shown, only their sizes.

use serde_json::Value;

use crate::watch::changes::Change;

/// Where `kubectl apply` keeps a copy of all it was given.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Whether objects of this kind hold what must not be shown.
pub(crate) fn is_secret(group: &str, plural: &str) -> bool {
    group.is_empty() && plural == "secrets"
}

/// Puts sizes where the values were. The annotation in which `kubectl apply` keeps a copy of them goes as well.
pub(crate) fn hide(object: &mut Value) {
    for (member, is_encoded) in [("data", true), ("stringData", false)] {
        let Some(values) = object.get_mut(member).and_then(Value::as_object_mut) else { continue };
        for value in values.values_mut() {
            *value = size(value.as_str().unwrap_or_default(), is_encoded).into();
        }
    }
    let annotations = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    if let Some(copy) = annotations.and_then(|annotations| annotations.get_mut(LAST_APPLIED)) {
        *copy = size(copy.as_str().unwrap_or_default(), false).into();
    }
}

/// The same for what changed: that it did is shown, and from which size to which.
pub(crate) fn hide_in(changes: &mut [Change]) {
    for change in changes {
        let is_encoded = change.path.starts_with("data");
        let is_plain = change.path.starts_with("stringData") || change.path.contains(LAST_APPLIED);
        if !is_encoded && !is_plain {
            continue;
        }
        for value in [&mut change.old, &mut change.new].into_iter().flatten() {
            match value {
                Value::String(text) => *value = size(text, is_encoded).into(),
                other => hide_all(other),
            }
        }
    }
}

/// A value of another shape than it should have: nothing of it is shown.
fn hide_all(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(|member| *member = "<hidden>".into()),
        other => *other = "<hidden>".into(),
    }
}

fn size(value: &str, is_encoded: bool) -> String {
    let bytes = match is_encoded {
        true => value.trim_end_matches('=').len() * 3 / 4,
        false => value.len(),
    };
    format!("<{bytes} bytes>")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_sizes() {
        let mut secret = json!({
            "metadata": { "name": "s", "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"a\":\"aHVudGVyMg==\"}}", "b": "c" } },
            "type": "Opaque",
            "data": { "password": "aHVudGVyMg==", "empty": "" },
            "stringData": { "plain": "hunter2" },
        });
        hide(&mut secret);
        assert!(!secret.to_string().contains("aHVudGVyMg"), "{secret}");
        assert!(!secret.to_string().contains("hunter2"), "{secret}");
        assert_eq!(secret["data"], json!({ "password": "<7 bytes>", "empty": "<0 bytes>" }));
        assert_eq!(secret["stringData"]["plain"], "<7 bytes>");
        assert_eq!(secret["metadata"]["annotations"]["b"], "c");
    }

    #[test]
    fn of_a_change_the_sizes_are_told() {
        let old = json!({ "data": { "password": "aHVudGVyMg==" }, "type": "a" });
        let new = json!({ "data": { "password": "aHVudGVyMw==", "other": "AAAA" }, "type": "b" });
        let mut changes = crate::watch::changes::changes(&old, &new);
        hide_in(&mut changes);
        let told: Vec<_> = changes.iter().map(ToString::to_string).collect();
        let wanted = ["data.other = <3 bytes>", "data.password <7 bytes> → <7 bytes>", "type a → b"];
        assert_eq!(told, wanted);
    }

    #[test]
    fn only_core_secrets_are_secret() {
        assert!(is_secret("", "secrets"));
        assert!(!is_secret("", "configmaps"));
        assert!(!is_secret("example.com", "secrets"));
    }
}

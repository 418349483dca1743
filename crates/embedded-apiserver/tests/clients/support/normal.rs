//! What servers say and store, without what cannot be the same on two of them: uids, times, versions and addresses.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// Patterns, and what is put in place of what they match.
static RANDOM: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = [
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "TIME"),
        (r#"(resourceVersion\\*"?: ?)\\*"?\d+\\*"?"#, "${1}VERSION"),
        (r"kubectl-edit-\d+\.yaml", "EDITED"),
        (r"https?://127\.0\.0\.1:\d+", "SERVER"),
    ];
    patterns.map(|(pattern, shown)| (Regex::new(pattern).expect("a pattern"), shown)).into()
});

/// An output or a message.
pub(crate) fn normal_text(text: &str, dir: &Path) -> String {
    let text = text.replace(&dir.display().to_string(), "DIR");
    RANDOM.iter().fold(text, |text, (pattern, shown)| pattern.replace_all(&text, *shown).into_owned())
}

/// An object, a list or a Status.
pub(crate) fn normal_object(value: &mut Value) {
    match value {
        Value::Object(members) => {
            // Keys of managedFields such as `k:{"uid":"…"}`.
            let shown =
                |(name, value): (String, Value)| (normal_text(&name, Path::new("/no/such/directory")), value);
            *members = std::mem::take(members).into_iter().map(shown).collect();
            for (name, value) in members.iter_mut() {
                match (name.as_str(), &mut *value) {
                    ("resourceVersion", version) => *version = "VERSION".into(),
                    ("clusterIP", Value::String(address)) if address.contains('.') => {
                        *address = "ADDRESS".into()
                    }
                    ("clusterIPs", Value::Array(addresses)) => {
                        let given = addresses.iter_mut().filter(|address| *address != "None");
                        given.for_each(|address| *address = "ADDRESS".into());
                    }
                    // An admission plugin of the real server adds it to new nodes.
                    ("taints", Value::Array(taints)) => {
                        taints.retain(|taint| taint["key"] != "node.kubernetes.io/not-ready");
                    }
                    ("nodePort", port) => *port = "PORT".into(),
                    ("managedFields", Value::Array(managers)) => {
                        managers.iter_mut().for_each(normal_object);
                        // They are in the order of their times, which are whole seconds.
                        managers.sort_by_cached_key(ToString::to_string);
                    }
                    (_, value) => normal_object(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normal_object),
        Value::String(text) => *text = normal_text(text, Path::new("/no/such/directory")),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

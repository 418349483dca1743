//! What servers say and store, without what cannot be the same on two of them: uids, times, versions and addresses.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::admission::without_admission;

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
    without_admission(value);
    normal(value);
}

fn normal(value: &mut Value) {
    let shown = |text: &str| normal_text(text, Path::new("/no/such/directory"));
    match value {
        Value::Object(members) => {
            // Keys of managedFields such as `k:{"uid":"…"}`.
            let renamed = |(name, value): (String, Value)| (shown(&name), value);
            *members = std::mem::take(members).into_iter().map(renamed).collect();
            for (name, value) in members.iter_mut() {
                normal(value);
                match (name.as_str(), value) {
                    ("resourceVersion", version) => *version = "VERSION".into(),
                    // They are in the order of their times, which are whole seconds.
                    ("managedFields", Value::Array(all)) => all.sort_by_cached_key(ToString::to_string),
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normal),
        Value::String(text) => *text = shown(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

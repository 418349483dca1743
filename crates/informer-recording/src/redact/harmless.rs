//! What may be seen of an object of a sensitive kind.

/// Fields that say nothing of the contents.
const FIELDS: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];

/// The same of the metadata. Not annotations: tools keep copies of the contents there (`kubectl apply` in
/// `last-applied-configuration`).
const OF_METADATA: [&str; 12] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "uid",
];

/// Whether a field of a Secret, or of another object of a sensitive kind, says nothing of its contents, so that it may be
/// written down or shown. Fields are those of the object, such as `["type"]`, and of its metadata, such as `["metadata", "labels"]`;
/// the first have to be plain values, neither objects nor arrays. Whatever is not known may be secret.
///
/// ```
/// use informer_recording::is_harmless;
///
/// assert!(is_harmless(&["metadata", "labels"]));
/// assert!(!is_harmless(&["data"]) && !is_harmless(&["metadata", "annotations"]));
/// ```
pub fn is_harmless(field: &[&str]) -> bool {
    match field {
        [name] => FIELDS.contains(name),
        ["metadata", name] => OF_METADATA.contains(name),
        _ => false,
    }
}

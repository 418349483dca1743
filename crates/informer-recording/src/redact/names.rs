//! Which names are those of secrets.

/// Configuration that kubectl keeps with an object: the whole of it, and so whatever is secret in it.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Endings of names, in lower case and without anything between the words: `accessToken`, `DB_PASSWORD`, `client-key-data`.
const ENDINGS: [&str; 13] = [
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secretkey",
    "accesskey",
    "privatekey",
    "apikey",
    "authorization",
    "cookie",
    "clientkeydata",
    "credential",
];

/// Members that say which object it is. They are never secret, and without them nothing could be replayed.
const IDENTITY: [&str; 11] = [
    "apiVersion",
    "continue",
    "creationTimestamp",
    "generateName",
    "kind",
    "name",
    "namespace",
    "nodeName",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Whether a value of this name is secret wherever it stands.
pub(crate) fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let plain = plain.strip_suffix('s').unwrap_or(&plain);
    ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

pub(super) fn is_identity(name: &str) -> bool {
    IDENTITY.contains(&name)
}

//! Which names are those of secrets.

/// Configuration that kubectl keeps with an object: the whole of it, and so whatever is secret in it.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Who set which fields. Sets and maps stand there with their values as names of fields: `v:"hunter2"`.
pub(super) const MANAGED_FIELDS: &str = "managedFields";

/// The token of the next page.
pub(super) const CONTINUE: &str = "continue";

/// Endings of names, in lower case and without anything between the words: `accessToken`, `DB_PASSWORD`, `client-key-data`.
const ENDINGS: [&str; 25] = [
    "token",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    // `DB_PASS`, of which the last letter is taken for a plural.
    "pas",
    "pwd",
    "jwt",
    "dsn",
    "connectionstring",
    "connstring",
    "connstr",
    "accountkey",
    "encryptionkey",
    "masterkey",
    "signingkey",
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

/// Words that end as one of these does and mean something else.
const OTHERS: [&str; 4] = ["bypas", "compas", "overpas", "underpas"];

/// Members that say which object it is. They are not secret unless there is a token in them, and without them nothing could be
/// replayed.
const IDENTITY: [&str; 11] = [
    "apiVersion",
    CONTINUE,
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

/// Whether a value of this name is secret wherever it stands. Asked for every member of every object, so nothing is copied.
pub(crate) fn is_secret(name: &str) -> bool {
    let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let mut from_end = letters.map(|letter| letter.to_ascii_lowercase()).peekable();
    // `tokens`, too.
    from_end.next_if_eq(&b's');
    let ends_with = |ending: &str| {
        let mut from_end = from_end.clone();
        ending.bytes().rev().all(|letter| from_end.next() == Some(letter))
    };
    ENDINGS.iter().any(|ending| ends_with(ending)) && !OTHERS.iter().any(|other| ends_with(other))
}

/// Whether a text of this name in a reference to a Secret says which one is meant.
pub(super) fn is_of_reference(name: &str) -> bool {
    const NAMES: [&str; 7] =
        ["apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"];
    NAMES.contains(&name)
}

pub(super) fn is_identity(name: &str) -> bool {
    IDENTITY.contains(&name)
}

//! How an authorizer says that somebody may not do something. It knows who wants to do what, and has never seen an object.

/// Whether a message is of this form: `pods "a" is forbidden: User "b" cannot create resource "pods" in API group "" in the
/// namespace "c"`. After that the authorizer may say why.
pub(super) fn is_its_refusal(message: &str) -> bool {
    after_form(message).is_some_and(|why| why.is_empty() || why.starts_with(": "))
}

/// What stands after the form; `None` if the message has another.
fn after_form(message: &str) -> Option<&str> {
    let (what, rest) = message.split_once(" is forbidden: User \"")?;
    let (resource, name) = what.split_once(' ').unwrap_or((what, "\"\""));
    let name = name.strip_prefix('"')?.strip_suffix('"')?;
    let (user, rest) = rest.split_once("\" cannot ")?;
    let (verb, rest) = rest.split_once(" resource \"")?;
    let (kind, rest) = rest.split_once("\" in API group \"")?;
    let (group, rest) = rest.split_once('"')?;
    // Names of users may have blanks. None of all these has what an object begins with.
    let is_plain = [resource, name, verb, kind, group].iter().all(|word| word.bytes().all(is_of_name));
    if !is_plain || user.contains(['{', '[']) {
        return None;
    }
    if let Some(why) = rest.strip_prefix(" at the cluster scope") {
        return Some(why);
    }
    let (namespace, why) = rest.strip_prefix(" in the namespace \"")?.split_once('"')?;
    namespace.bytes().all(is_of_name).then_some(why)
}

/// Resources, groups, verbs, and names of objects, of which those of roles have colons.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':' | b'*')
}

#[cfg(test)]
mod tests;

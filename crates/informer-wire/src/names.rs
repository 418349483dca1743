//! Validation of names and of label keys and values, with the messages of the real server.

const NAME_PART: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                         alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
                         validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
                         '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used \
                         for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                     and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or \
                     '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// What is wrong with the key of a label.
pub fn label_key_problems(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else if let Some(problem) = subdomain_problem(prefix) {
                problems.push(format!("prefix part {problem}"));
            }
            name
        }
        _ => {
            let form = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {NAME_PART} {form}")];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_name_part(name) {
        problems.push(format!("name part {NAME_PART}"));
    }
    problems
}

/// What is wrong with the value of a label.
pub fn label_value_problems(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > 63 {
        problems.push("must be no more than 63 bytes".to_owned());
    }
    if !value.is_empty() && !is_name_part(value) {
        problems.push(VALUE.to_owned());
    }
    problems
}

/// What is wrong with a name that must be a DNS subdomain.
pub fn subdomain_problem(name: &str) -> Option<String> {
    if name.len() > 253 {
        return Some("must be no more than 253 bytes".to_owned());
    }
    let fits = |part: &str| {
        let bytes = part.as_bytes();
        let is_end = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        bytes.iter().all(|byte| is_end(byte) || *byte == b'-')
            && bytes.first().is_some_and(is_end)
            && bytes.last().is_some_and(is_end)
    };
    (!name.split('.').all(fits)).then(|| SUBDOMAIN.to_owned())
}

/// What is wrong with a name that must be a DNS label.
pub fn label_name_problem(name: &str) -> Option<String> {
    const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                         start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
                         validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    if name.contains('.') && subdomain_problem(name).is_none() {
        return Some("must not contain dots".to_owned());
    }
    if name.len() > 63 {
        return Some("must be no more than 63 characters".to_owned());
    }
    (name.contains('.') || subdomain_problem(name).is_some()).then(|| LABEL.to_owned())
}

fn is_name_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
}

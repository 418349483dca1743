//! Whether a text is a path that kube-informer can follow: `spec.nodeName`, `spec.hosts[*].name`, `data["a.b"]`.

/// Checks a path with the same grammar as kube-informer; the error says what is wrong.
pub(crate) fn check(path: &str) -> Result<(), String> {
    let mut rest = path;
    let mut is_first = true;
    while is_first || !rest.is_empty() {
        rest = match rest.strip_prefix('[') {
            Some(bracket) => after_bracket(bracket)?,
            None => {
                let name = if is_first { rest } else { rest.strip_prefix('.').ok_or("a dot is missing")? };
                after_name(name)?
            }
        };
        is_first = false;
    }
    Ok(())
}

fn after_name(text: &str) -> Result<&str, String> {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '/' | '$');
    let end = text.find(|letter| !plain(letter)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match rest.chars().next() {
        Some(letter) if letter != '.' && letter != '[' => {
            Err(format!("a name with {letter:?} is written in [\"…\"]"))
        }
        _ if name.is_empty() => Err("a name is missing".to_owned()),
        _ => Ok(rest),
    }
}

fn after_bracket(text: &str) -> Result<&str, String> {
    let problem = || "brackets hold * or a name in double quotes".to_owned();
    if let Some(rest) = text.strip_prefix("*]") {
        return Ok(rest);
    }
    let quoted = text.strip_prefix('"').ok_or_else(problem)?;
    let mut escaped = false;
    let end = quoted.find(|letter| {
        let closes = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        closes
    });
    let rest = &quoted[end.ok_or_else(problem)? + 1..];
    rest.strip_prefix(']').ok_or_else(problem)
}

#[cfg(test)]
mod tests;

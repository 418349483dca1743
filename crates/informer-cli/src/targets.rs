//! Which kinds and objects the command line names: `pods`, `pods,svc`, `pod web-0 web-1`, `pod/web-0`.

/// A kind, and the objects of it that are wanted; all if there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: String,
    pub(crate) names: Vec<String>,
}

/// The words of `get`: kinds and then names, or `KIND/NAME` each.
pub(crate) fn of_get(words: &[String]) -> Result<Vec<Target>, String> {
    if words.iter().any(|word| word.contains('/')) {
        return of_watch(words).and_then(|targets| {
            match targets.iter().find(|target| target.names.is_empty()) {
                Some(target) => Err(format!(
                    "{:?} has no name; write KIND/NAME everywhere, or kinds and then names",
                    target.kind
                )),
                None => Ok(targets),
            }
        });
    }
    let (kinds, names) = words.split_first().ok_or("a kind is missing")?;
    let mut targets = Vec::new();
    for kind in kinds.split(',') {
        add(&mut targets, kind, None)?;
    }
    for target in &mut targets {
        for name in names.iter().filter(|name| !name.is_empty()) {
            if !target.names.contains(name) {
                target.names.push(name.clone());
            }
        }
    }
    Ok(targets)
}

/// The words of `watch`: each a kind, several kinds, or `KIND/NAME`.
pub(crate) fn of_watch(words: &[String]) -> Result<Vec<Target>, String> {
    let mut targets = Vec::new();
    for word in words {
        match word.split_once('/') {
            Some((kind, name)) if kind.contains(',') || name.contains('/') || name.is_empty() => {
                return Err(format!("expected KIND/NAME such as pod/web-0, not {word:?}"));
            }
            Some((kind, name)) => add(&mut targets, kind, Some(name))?,
            None => {
                for kind in word.split(',') {
                    add(&mut targets, kind, None)?;
                }
            }
        }
    }
    Ok(targets)
}

/// One object, as `KIND/NAME`.
pub(crate) fn one(word: &str) -> Result<Target, String> {
    let mut targets = of_watch(std::slice::from_ref(&word.to_owned()))?;
    match targets.pop() {
        Some(target) if target.names.len() == 1 && targets.is_empty() => Ok(target),
        _ => Err(format!("expected KIND/NAME such as deploy/web, not {word:?}")),
    }
}

/// Whoever asks for all objects of a kind gets them, even if one of them was named as well.
fn add(targets: &mut Vec<Target>, kind: &str, name: Option<&str>) -> Result<(), String> {
    if kind.is_empty() {
        return Err("a kind is empty; separate kinds with one comma, as in pods,svc".to_owned());
    }
    let known = targets.iter().position(|target| target.kind == kind);
    match (known.map(|known| &mut targets[known]), name) {
        (None, name) => {
            targets
                .push(Target { kind: kind.to_owned(), names: name.map(str::to_owned).into_iter().collect() });
        }
        (Some(target), None) => target.names.clear(),
        (Some(target), Some(name)) => {
            if !target.names.is_empty() && !target.names.iter().any(|known| known == name) {
                target.names.push(name.to_owned());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

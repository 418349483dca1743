//! Turns names of Kubernetes into names of Rust.

/// `ReplicaSet` → `replica_set`, `CSIDriver` → `csi_driver`, `ServiceCIDR` → `service_cidr`.
fn snake_case(kind: &str) -> String {
    let letters: Vec<char> = kind.chars().collect();
    let mut snake = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(place + 1);
        let begins_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if begins_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The name of the function that leads to a kind: its plural, with the words of the kind kept apart.
///
/// `ReplicaSet` and `replicasets` → `replica_sets`, `NetworkPolicy` and `networkpolicies` → `network_policies`.
pub(crate) fn plural_function(kind: &str, plural: &str) -> String {
    let mut rest = plural;
    let mut name = String::new();
    for letter in snake_case(kind).chars() {
        if letter == '_' {
            name.push('_');
        } else if let Some(after) = rest.strip_prefix(letter) {
            name.push(letter);
            rest = after;
        } else {
            break;
        }
    }
    // If the plural is shorter than the kind, the name ends with `_`.
    let mut name = name.trim_end_matches('_').to_owned();
    name.push_str(rest);
    identifier(&name)
}

/// The plural that kube's derive makes if none is given: `es` after s, x, z, ch and sh, `ies` for `y` after a consonant,
/// `s` otherwise.
pub(crate) fn plural_of(singular: &str) -> String {
    let hisses = ["s", "x", "z", "ch", "sh"];
    if hisses.iter().any(|ending| singular.ends_with(ending)) {
        return format!("{singular}es");
    }
    let vowel_before = |stem: &str| stem.is_empty() || stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match singular.strip_suffix('y') {
        Some(stem) if !vowel_before(stem) => format!("{stem}ies"),
        _ => format!("{singular}s"),
    }
}

/// `example.com` → `example_com`.
pub(crate) fn group_function(group: &str) -> String {
    let name = identifier(group);
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("g{name}") } else { name }
}

/// `example.com` → `ExampleCom`, `v1beta1` → `V1beta1`.
pub(crate) fn type_name(words: &str) -> String {
    let name: String = words.split(['.', '-', '_']).map(capitalised).collect();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("G{name}") } else { name }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Dots and dashes become `_`; a keyword of Rust gets one at its end.
pub(crate) fn identifier(words: &str) -> String {
    let name = words.replace(['.', '-'], "_");
    if is_identifier(&name) || name.starts_with(|first: char| first.is_ascii_digit()) {
        name
    } else {
        name + "_"
    }
}

/// Whether this is an identifier and no keyword.
pub(crate) fn is_identifier(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_ok()
}

/// Whether Kubernetes accepts it as a name in lower case: `widgets`, `my-widgets`, `v1beta1`.
pub(crate) fn is_label(name: &str) -> bool {
    let inside = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    !name.is_empty() && name.chars().all(inside) && !name.starts_with('-') && !name.ends_with('-')
}

#[cfg(test)]
mod tests;

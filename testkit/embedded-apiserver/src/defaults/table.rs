//! The table that `cargo xtask codegen` has packed: kind, path, condition, value.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::tree::Tree;
use crate::openapi;

static TEXT: LazyLock<String> = LazyLock::new(|| openapi::unpack(include_bytes!("values.zst")));

/// The lines of each kind, which follow one another, and the tree that is made of them when it is first needed.
static KINDS: LazyLock<HashMap<&'static str, Lazy>> = LazyLock::new(|| {
    let mut kinds: HashMap<&'static str, Lazy> = HashMap::new();
    for line in TEXT.lines() {
        if let Some((kind, line)) = line.split_once('\t') {
            kinds.entry(kind).or_default().lines.push(line);
        }
    }
    kinds
});

#[derive(Debug, Default)]
struct Lazy {
    lines: Vec<&'static str>,
    tree: OnceLock<Tree>,
}

/// The defaults of a kind; `None` if it has none.
pub(super) fn of(api_version: &str, kind: &str) -> Option<&'static Tree> {
    let lazy = KINDS.get(&*format!("{api_version} {kind}"))?;
    Some(lazy.tree.get_or_init(|| {
        let mut tree = Tree::default();
        for line in &lazy.lines {
            let mut columns = line.split('\t');
            if let (Some(path), Some(condition), Some(value)) =
                (columns.next(), columns.next(), columns.next())
            {
                tree.add(path, condition, value);
            }
        }
        tree
    }))
}

/// The kinds that have defaults, with their lines.
#[cfg(test)]
pub(super) fn kinds() -> Vec<(&'static str, &'static [&'static str])> {
    KINDS.iter().map(|(kind, lazy)| (*kind, &*lazy.lines)).collect()
}

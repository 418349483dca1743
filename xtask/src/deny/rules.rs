//! The part of `deny.toml` that is checked here, in the words of cargo-deny.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Licences, some of them with an exception: `Apache-2.0 WITH LLVM-exception`.
    pub(crate) allow: BTreeSet<String>,
    /// Crates that must not be there, and why.
    pub(crate) deny: BTreeMap<String, String>,
    /// Crates, with the version, that may be there besides another version.
    pub(crate) skip: Vec<(String, String)>,
    /// Where crates may come from.
    pub(crate) registries: BTreeSet<String>,
}

impl Rules {
    pub(crate) fn read(text: &str) -> Result<Self> {
        let rules = document(text).context("deny.toml")?;
        let list = |section: &str, name: &str| {
            member(&rules, section)
                .and_then(|section| list(section, name))
                .with_context(|| format!("deny.toml: there is no list `{name}` in [{section}]"))
        };
        let mut rules = Self {
            allow: texts(&list("licenses", "allow")?),
            registries: texts(&list("sources", "allow-registry")?),
            ..Self::default()
        };
        for entry in list("bans", "deny")? {
            let (name, reason) = reasoned(entry)?;
            rules.deny.insert(name, reason);
        }
        for entry in list("bans", "skip")? {
            let (name, _) = reasoned(entry)?;
            let (name, version) =
                name.split_once('@').context("deny.toml: a skipped crate needs its version")?;
            rules.skip.push((name.to_owned(), version.to_owned()));
        }
        Ok(rules)
    }

    pub(crate) fn is_skipped(&self, name: &str, version: &str) -> bool {
        self.skip.iter().any(|(skipped, of)| matches(skipped, of, name, version))
    }
}

/// Whether `name` in `version` is what `skipped@of` means, in which later parts of the version may be left out.
pub(crate) fn matches(skipped: &str, of: &str, name: &str, version: &str) -> bool {
    let rest = version.strip_prefix(of);
    skipped == name && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A file in TOML as one value.
pub(crate) fn document(text: &str) -> Result<DeValue<'_>> {
    Ok(DeValue::Table(DeTable::parse(text)?.into_inner()))
}

fn member<'a>(value: &'a DeValue<'a>, name: &str) -> Option<&'a DeValue<'a>> {
    value.get(name).map(Spanned::get_ref)
}

/// The member `name`, if it is a list.
pub(crate) fn list<'a>(value: &'a DeValue<'a>, name: &str) -> Option<Vec<&'a DeValue<'a>>> {
    Some(member(value, name)?.as_array()?.iter().map(Spanned::get_ref).collect())
}

/// The member `name`, if it is a string.
pub(crate) fn text(value: &DeValue<'_>, name: &str) -> Option<String> {
    value.get(name)?.get_ref().as_str().map(str::to_owned)
}

fn texts(list: &[&DeValue<'_>]) -> BTreeSet<String> {
    list.iter().filter_map(|entry| entry.as_str()).map(str::to_owned).collect()
}

/// An entry such as `{ crate = "a@1", reason = "…" }`, which has to have both.
fn reasoned(entry: &DeValue<'_>) -> Result<(String, String)> {
    let text = |name: &str| text(entry, name).unwrap_or_default();
    let (name, reason) = (text("crate"), text("reason"));
    ensure!(
        !name.is_empty() && !reason.is_empty(),
        "deny.toml: an entry needs `crate` and `reason`: `{name}`"
    );
    Ok((name, reason))
}

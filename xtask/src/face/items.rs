//! The public items of a crate, from rustdoc's JSON.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

/// What others can name, and what they see in it.
#[derive(Debug, Default)]
pub(crate) struct Face {
    /// The names in the root, modules among them.
    pub(crate) root: BTreeSet<String>,
    /// Types and traits by path, without those of modules that were left aside.
    pub(crate) types: BTreeMap<String, Type>,
    /// Types and traits of others that signatures name.
    pub(crate) foreign: BTreeSet<String>,
    /// Those that only the modules left aside name.
    pub(crate) foreign_aside: BTreeSet<String>,
}

/// The kinds of items that count as types.
const TYPES: [&str; 6] = ["struct", "enum", "union", "trait", "type_alias", "trait_alias"];

/// A public type or trait.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Type {
    /// The path of what it names once more, of another crate.
    pub(crate) of: Option<String>,
    /// Whether it implements `std::error::Error`.
    pub(crate) is_error: bool,
    /// Whether a new variant or field would break somebody's `match` or literal.
    pub(crate) is_exhaustive: bool,
    /// Types and traits of others that it names: what another crate takes on that re-exports it.
    pub(crate) foreign: BTreeSet<String>,
}

/// Reads the JSON of one crate. `aside` are modules of the root whose types are not counted.
pub(crate) fn read(json: &Value, aside: &[&str]) -> Result<Face> {
    let mut walk = Walk { json, face: Face::default(), seen: BTreeSet::new(), paths: BTreeSet::new() };
    let root = json["root"].as_u64().context("rustdoc's JSON names no root")?;
    let mut later = Vec::new();
    for (name, id) in walk.names(root) {
        walk.face.root.insert(name.clone());
        if aside.contains(&name.as_str()) {
            later.push((name, id));
        } else {
            walk.item(&name, id);
        }
    }
    walk.face.foreign = std::mem::take(&mut walk.paths);
    let types = std::mem::take(&mut walk.face.types);
    for (name, id) in later {
        walk.item(&name, id);
    }
    walk.face.types = types;
    walk.face.foreign_aside = walk.paths.difference(&walk.face.foreign).cloned().collect();
    Ok(walk.face)
}

struct Walk<'a> {
    json: &'a Value,
    face: Face,
    seen: BTreeSet<u64>,
    /// Foreign types met.
    paths: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    fn get(&self, id: u64) -> Option<&'a Value> {
        self.json["index"].get(id.to_string())
    }

    /// The public names in a module and what they stand for, re-exports included.
    fn names(&self, module: u64) -> Vec<(String, u64)> {
        let mut names = Vec::new();
        let Some(module) = self.get(module) else { return names };
        for id in ids(&module["inner"]["module"]["items"]) {
            let Some(item) = self.get(id).filter(|item| item["visibility"] == "public") else { continue };
            let re_export = &item["inner"]["use"];
            match re_export["id"].as_u64() {
                Some(target) if re_export["is_glob"] == true => names.extend(self.names(target)),
                Some(target) => names.push((text(&re_export["name"]), target)),
                None if re_export.is_object() => names.push((text(&re_export["name"]), id)),
                // What an `impl` adds is met with its type.
                None if item["inner"]["impl"].is_object() => {}
                None => names.push((text(&item["name"]), id)),
            }
        }
        names
    }

    /// Takes in an item that can be named by `path`, once.
    fn item(&mut self, path: &str, id: u64) {
        if !self.seen.insert(id) {
            return;
        }
        let Some(item) = self.get(id) else {
            // A re-export of somebody else's.
            self.foreign(id, path);
            if TYPES.iter().any(|kind| self.json["paths"][id.to_string()]["kind"] == *kind) {
                let of = Some(self.path(id).unwrap_or_default());
                self.face.types.insert(path.to_owned(), Type { of, ..Type::default() });
            }
            return;
        };
        let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next()) else {
            return;
        };
        match kind.as_str() {
            "module" => {
                for (name, id) in self.names(id) {
                    self.item(&format!("{path}::{name}"), id);
                }
            }
            kind if TYPES.contains(&kind) => {
                let before = std::mem::take(&mut self.paths);
                self.signature(inner);
                let described = Type {
                    of: None,
                    is_error: self.is_error(inner),
                    is_exhaustive: is_exhaustive(kind, inner) && !is_non_exhaustive(item),
                    foreign: self.paths.clone(),
                };
                self.paths.extend(before);
                self.face.types.insert(path.to_owned(), described);
            }
            _ => self.signature(inner),
        }
    }

    /// Everything that a signature names, and the items within it: fields, variants, methods, implementations.
    fn signature(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.signature(value)),
            Value::Object(members) => {
                // What everybody gets, or the compiler works out, nobody wrote into the interface.
                if value["is_synthetic"] == true || value["blanket_impl"].is_object() {
                    return;
                }
                if let (Some(id), Some(path)) = (value["id"].as_u64(), value["path"].as_str()) {
                    self.foreign(id, path);
                }
                for (name, member) in members {
                    match name.as_str() {
                        "items" | "fields" | "variants" | "tuple" | "impls" | "implementations"
                            if is_ids(member) =>
                        {
                            ids(member).for_each(|id| self.member(id));
                        }
                        _ => self.signature(member),
                    }
                }
            }
            _ => {}
        }
    }

    /// An item that belongs to another.
    fn member(&mut self, id: u64) {
        if let Some(item) = self.get(id).filter(|_| self.seen.insert(id)) {
            self.signature(&item["inner"]);
        }
    }

    /// Notes a type, if it is neither ours nor one of the standard library.
    fn foreign(&mut self, id: u64, shown: &str) {
        let Some(path) = self.path(id) else {
            self.paths.insert(format!("{shown} (rustdoc does not say of which crate)"));
            return;
        };
        let is_of_std = ["std", "core", "alloc"].contains(&path.split("::").next().unwrap_or_default());
        let is_ours = self.json["paths"][id.to_string()]["crate_id"] == 0;
        if !is_of_std && !is_ours {
            self.paths.insert(path);
        }
    }

    /// The path of a type by which its own crate knows it.
    fn path(&self, id: u64) -> Option<String> {
        if self.get(id).is_some() && self.json["paths"].get(id.to_string()).is_none() {
            // One of ours that nobody can name.
            return Some("std".to_owned());
        }
        let parts = self.json["paths"][id.to_string()]["path"].as_array()?;
        Some(parts.iter().map(text).collect::<Vec<_>>().join("::"))
    }

    fn is_error(&self, inner: &Value) -> bool {
        ids(&inner["impls"]).filter_map(|id| self.get(id)).any(|found| {
            let implemented = found["inner"]["impl"]["trait"]["id"].as_u64();
            implemented.and_then(|id| self.path(id)).is_some_and(|path| path == "core::error::Error")
        })
    }
}

/// Whether all of it is public: an enum, or a struct without a private field and with a public one.
fn is_exhaustive(kind: &str, inner: &Value) -> bool {
    match kind {
        "enum" => inner["has_stripped_variants"] != true,
        "struct" => {
            let plain = &inner["kind"]["plain"];
            let tuple = inner["kind"]["tuple"].as_array();
            let has_field = ids(&plain["fields"]).next().is_some();
            (has_field && plain["has_stripped_fields"] != true)
                || tuple.is_some_and(|fields| !fields.is_empty() && fields.iter().all(Value::is_u64))
        }
        _ => false,
    }
}

fn is_non_exhaustive(item: &Value) -> bool {
    let attributes = item["attrs"].as_array().map(Vec::as_slice).unwrap_or_default();
    // A word of its own since form 54; a line of Rust before.
    attributes.iter().any(|attribute| attribute == "non_exhaustive" || attribute == "#[non_exhaustive]")
}

fn ids(list: &Value) -> impl Iterator<Item = u64> {
    list.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_u64)
}

/// Whether it is a list of ids, in which `null` stands for what is private.
fn is_ids(list: &Value) -> bool {
    list.as_array().is_some_and(|list| list.iter().all(|id| id.is_u64() || id.is_null()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

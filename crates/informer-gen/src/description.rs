//! The description file: kinds, sources with kinds, and indexes, in TOML.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::model::{Availability, IndexSpec, KindSpec, SpecScope};
use crate::names::plural_of;
use crate::problem::{InputError, Place, Problem};

/// The content of a description file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) kinds: Vec<KindSpec>,
    pub(crate) sources: Vec<Source>,
    /// Indexes for kinds by their name, whichever input the kinds come from.
    pub(crate) indexes: Vec<KindIndexes>,
}

/// A Rust file to read kinds from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    pub(crate) module: Option<String>,
    pub(crate) place: Place,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KindIndexes {
    pub(crate) kind: String,
    pub(crate) indexes: Vec<IndexSpec>,
    pub(crate) place: Place,
}

/// Reads the text of a description; `file` is for messages.
pub(crate) fn read(text: &str, file: &Place) -> Result<Description, InputError> {
    let table = DeTable::parse(text).map_err(|error| {
        let place = file.at_offset(text, error.span().map_or(0, |span| span.start));
        Problem::new(&place, error.message().replace('\n', "; "))
    })?;
    let reader = Reader { text, file };
    let mut problems = InputError::default();
    let mut description = Description::default();
    let known = ["kind", "source", "indexes"];
    for (name, place, value) in reader.entries(table.get_ref()) {
        let found = match name {
            "kind" => reader.tables(value, "[[kind]]").map(|tables| {
                for table in tables {
                    match reader.kind(table) {
                        Ok(kind) => description.kinds.push(kind),
                        Err(found) => problems.extend(found),
                    }
                }
            }),
            "source" => reader.tables(value, "[[source]]").map(|tables| {
                for table in tables {
                    match reader.source(table) {
                        Ok(source) => description.sources.push(source),
                        Err(found) => problems.extend(found),
                    }
                }
            }),
            "indexes" => reader.table(value).map(|kinds| {
                for (kind, place, indexes) in reader.entries(kinds) {
                    match reader.indexes(indexes) {
                        Ok(indexes) => {
                            description.indexes.push(KindIndexes { kind: kind.to_owned(), indexes, place });
                        }
                        Err(found) => problems.extend(found),
                    }
                }
            }),
            _ => Err(unknown(&place, name, &known)),
        };
        if let Err(problem) = found {
            problems.extend(problem.into());
        }
    }
    problems.or(description)
}

struct Reader<'a> {
    text: &'a str,
    file: &'a Place,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl Reader<'_> {
    fn place(&self, offset: usize) -> Place {
        self.file.at_offset(self.text, offset)
    }

    fn entries<'t>(&self, table: &'t DeTable<'_>) -> Vec<(&'t str, Place, &'t Value<'t>)> {
        let entry = |(key, value): (&'t Spanned<_>, &'t Value<'_>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.as_ref(), self.place(key.span().start), value)
        };
        table.iter().map(entry).collect()
    }

    fn text(&self, value: &Value<'_>) -> Result<String, Problem> {
        let text = value.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| self.wrong(value, "a text in quotes"))
    }

    fn table<'t>(&self, value: &'t Value<'t>) -> Result<&'t DeTable<'t>, Problem> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(value, "a table"))
    }

    /// The tables of `[[name]]`, with their places.
    fn tables<'t>(&self, value: &'t Value<'t>, name: &str) -> Result<Vec<(Place, &'t DeTable<'t>)>, Problem> {
        let array =
            value.get_ref().as_array().ok_or_else(|| self.wrong(value, &format!("written {name}")))?;
        array.iter().map(|table| Ok((self.place(table.span().start), self.table(table)?))).collect()
    }

    fn wrong(&self, value: &Value<'_>, expected: &str) -> Problem {
        let found = value.get_ref().type_str();
        Problem::new(&self.place(value.span().start), format!("this must be {expected}, not of type {found}"))
    }

    fn kind(&self, (place, table): (Place, &DeTable<'_>)) -> Result<KindSpec, InputError> {
        let mut problems = InputError::default();
        let known = ["group", "version", "kind", "type", "scope", "plural", "indexes"];
        let mut texts: BTreeMap<&str, (Place, String)> = BTreeMap::new();
        let mut indexes = Vec::new();
        for (name, key, value) in self.entries(table) {
            let found = match name {
                "indexes" => self.indexes(value).map(|found| indexes = found),
                _ if known.contains(&name) => self.text(value).map_err(InputError::from).map(|text| {
                    texts.insert(name, (self.place(value.span().start), text));
                }),
                _ => Err(unknown(&key, name, &known).into()),
            };
            if let Err(found) = found {
                problems.extend(found);
                // The field is there but wrong, which has been reported. It must not be reported as missing too; the value is not used.
                texts.entry(name).or_insert_with(|| (key, String::new()));
            }
        }
        let mut needed = |name: &str, advice: &str| {
            texts.remove(name).unwrap_or_else(|| {
                problems.add(&place, format!("this kind has no {name}: add {advice}"));
                (place.clone(), String::new())
            })
        };
        let (_, group) = needed("group", "group = \"example.com\"");
        let (_, version) = needed("version", "version = \"v1\"");
        let (_, kind) = needed("kind", "kind = \"Widget\"");
        let (_, type_path) = needed("type", "type = \"crate::Widget\"");
        let (scope_place, scope) = needed("scope", "scope = \"Namespaced\" or scope = \"Cluster\"");
        let scope = match scope.as_str() {
            "Namespaced" => SpecScope::Namespaced,
            "Cluster" => SpecScope::Cluster,
            // It is missing, which has been reported.
            _ if scope_place == place => SpecScope::Cluster,
            scope => {
                let message = format!("scope {scope:?} is unknown: it is \"Namespaced\" or \"Cluster\"");
                problems.add(&scope_place, message);
                SpecScope::Cluster
            }
        };
        let plural = texts.remove("plural").map(|(_, plural)| plural);
        let plural = plural.unwrap_or_else(|| plural_of(&kind.to_ascii_lowercase()));
        let availability = Availability::ALWAYS;
        problems.or(KindSpec { group, version, kind, plural, scope, type_path, indexes, availability, place })
    }

    fn source(&self, (place, table): (Place, &DeTable<'_>)) -> Result<Source, InputError> {
        let mut problems = InputError::default();
        let known = ["file", "module"];
        let (mut file, mut module) = (None, None);
        for (name, key, value) in self.entries(table) {
            match (name, self.text(value)) {
                ("file", Ok(text)) => file = Some(text),
                ("module", Ok(text)) => module = Some(text),
                ("file" | "module", Err(problem)) => problems.extend(problem.into()),
                _ => problems.extend(unknown(&key, name, &known).into()),
            }
        }
        if file.is_none() {
            problems.add(&place, "this source has no file: add file = \"src/kinds.rs\"");
        }
        problems.or(Source { file: file.unwrap_or_default().into(), module, place })
    }

    /// `name = "path"` or `name = { path = "path", type = "Type" }`.
    fn indexes(&self, value: &Value<'_>) -> Result<Vec<IndexSpec>, InputError> {
        let mut problems = InputError::default();
        let mut indexes = Vec::new();
        for (name, place, value) in self.entries(self.table(value)?) {
            match self.index(name, &place, value) {
                Ok(index) => indexes.push(index),
                Err(found) => problems.extend(found),
            }
        }
        problems.or(indexes)
    }

    fn index(&self, name: &str, place: &Place, value: &Value<'_>) -> Result<IndexSpec, InputError> {
        let mut problems = InputError::default();
        let (mut path, mut value_type) = (None, "String".to_owned());
        if let Some(text) = value.get_ref().as_str() {
            path = Some(text.to_owned());
        } else {
            for (name, key, value) in self.entries(self.table(value)?) {
                match (name, self.text(value)) {
                    ("path", Ok(text)) => path = Some(text),
                    ("type", Ok(text)) => value_type = text,
                    ("path" | "type", Err(problem)) => problems.extend(problem.into()),
                    _ => problems.extend(unknown(&key, name, &["path", "type"]).into()),
                }
            }
            if path.is_none() {
                problems.add(place, format!("index {name:?} has no path: add path = \"spec.nodeName\""));
            }
        }
        let path = path.unwrap_or_default();
        problems.or(IndexSpec { name: name.to_owned(), path, value_type, place: place.clone() })
    }
}

fn unknown(place: &Place, name: &str, known: &[&str]) -> Problem {
    Problem::new(place, format!("`{name}` is unknown here; there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests;

//! Kinds in Rust sources: structs with `#[derive(CustomResource)]` and their `#[kube(…)]`.

use std::path::{Component, Path};

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, Item, Token};

use crate::model::{Availability, KindSpec, SpecScope};
use crate::names::plural_of;
use crate::problem::{InputError, Place, Problem};

/// Reads the kinds of one file, whose items are in `module`.
pub(crate) fn read(text: &str, file: &Place, module: &str) -> Result<Vec<KindSpec>, InputError> {
    let parsed = syn::parse_file(text)
        .map_err(|error| Problem::new(&place_of(file, error.span()), format!("not Rust: {error}")))?;
    let mut reader = Reader { file, kinds: Vec::new(), problems: InputError::default() };
    reader.items(&parsed.items, module);
    reader.problems.or(reader.kinds)
}

/// The module of a file, from its path below `src`; `None` if it is not below a `src`.
pub(crate) fn module_of(path: &Path) -> Option<String> {
    let names: Vec<&str> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let root = names.iter().rposition(|name| *name == "src")?;
    let mut module = vec!["crate"];
    let (file, directories) = names.get(root + 1..)?.split_last()?;
    module.extend(directories);
    match file.strip_suffix(".rs")? {
        "mod" => {}
        "lib" | "main" if directories.is_empty() => {}
        name => module.push(name),
    }
    Some(module.join("::"))
}

struct Reader<'a> {
    file: &'a Place,
    kinds: Vec<KindSpec>,
    problems: InputError,
}

impl Reader<'_> {
    fn items(&mut self, items: &[Item], module: &str) {
        for item in items {
            match item {
                Item::Struct(item) => self.kind(&item.ident, &item.attrs, module),
                Item::Enum(item) => self.kind(&item.ident, &item.attrs, module),
                Item::Mod(item) if !item.attrs.iter().any(is_for_tests) => {
                    let items = item.content.as_ref().map_or(&[][..], |(_, items)| items);
                    self.items(items, &format!("{module}::{}", item.ident));
                }
                _ => {}
            }
        }
    }

    fn kind(&mut self, name: &Ident, attributes: &[Attribute], module: &str) {
        if !attributes.iter().any(derives_custom_resource) {
            return;
        }
        let mut found = KubeAttributes::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("kube")) {
            if let Err(error) = attribute.parse_nested_meta(|meta| found.take(&meta)) {
                let place = place_of(self.file, error.span());
                self.problems.add(&place, format!("in #[kube(…)]: {error}"));
            }
        }
        let place = place_of(self.file, name.span());
        let mut needed = |value: Option<String>, what: &str, example: &str| {
            value.unwrap_or_else(|| {
                let message = format!("{name} has no {what}: add #[kube({what} = \"{example}\")]");
                self.problems.add(&place, message);
                String::new()
            })
        };
        let group = needed(found.group, "group", "example.com");
        let version = needed(found.version, "version", "v1");
        let kind = needed(found.kind, "kind", "Widget");
        let singular = found.singular.unwrap_or_else(|| kind.to_ascii_lowercase());
        let root = found.root.unwrap_or_else(|| kind.clone());
        if [&group, &version, &kind].iter().any(|text| text.is_empty()) {
            return;
        }
        self.kinds.push(KindSpec {
            plural: found.plural.unwrap_or_else(|| plural_of(&singular)),
            scope: if found.namespaced { SpecScope::Namespaced } else { SpecScope::Cluster },
            type_path: format!("{module}::{root}"),
            indexes: Vec::new(),
            availability: Availability::ALWAYS,
            group,
            version,
            kind,
            place,
        });
    }
}

/// The parts of `#[kube(…)]` that matter here; the others are ignored.
#[derive(Default)]
struct KubeAttributes {
    group: Option<String>,
    version: Option<String>,
    kind: Option<String>,
    plural: Option<String>,
    singular: Option<String>,
    root: Option<String>,
    namespaced: bool,
}

impl KubeAttributes {
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
        let text = match name.as_str() {
            "group" => &mut self.group,
            "version" => &mut self.version,
            "kind" => &mut self.kind,
            "plural" => &mut self.plural,
            "singular" => &mut self.singular,
            "root" => &mut self.root,
            "namespaced" => {
                self.namespaced = flag(meta)?;
                return Ok(());
            }
            _ => return skip(meta),
        };
        *text = Some(meta.value()?.parse::<syn::LitStr>()?.value());
        Ok(())
    }
}

/// `namespaced`, `namespaced = true` or `namespaced = "true"`.
fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<bool> {
    if !meta.input.peek(Token![=]) {
        return Ok(true);
    }
    match meta.value()?.parse::<syn::Lit>()? {
        syn::Lit::Bool(value) => Ok(value.value),
        syn::Lit::Str(value) => {
            value.value().parse().map_err(|_| syn::Error::new(value.span(), "this is `true` or `false`"))
        }
        other => Err(syn::Error::new(other.span(), "this is `true` or `false`")),
    }
}

/// Skips `name`, `name = value` or `name(…)`.
fn skip(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        meta.input.parse::<proc_macro2::Group>()?;
    }
    Ok(())
}

fn derives_custom_resource(attribute: &Attribute) -> bool {
    let mut found = false;
    if attribute.path().is_ident("derive") {
        // The compiler reports a derive that does not parse.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == "CustomResource");
            Ok(())
        });
    }
    found
}

/// `#[cfg(test)]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<Ident>().is_ok_and(|name| name == "test")
}

fn place_of(file: &Place, span: Span) -> Place {
    let start = span.start();
    file.at(start.line, start.column + 1)
}

#[cfg(test)]
mod tests;

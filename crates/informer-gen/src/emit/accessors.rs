//! The accessors from a group to its versions and kinds, for built-in and custom kinds.

use informer_wire::Path;
use informer_wire::document::is_obeyed;

use crate::emit::code::{Code, Function};
use crate::model::{Availability, Group, IndexSpec, Kind, KindSpec, SpecScope, Version};

/// The differences between generated files for built-in and for custom kinds.
pub(crate) struct Manner {
    /// The path of a kind's type in this file.
    pub(crate) type_of: fn(&KindSpec) -> String,
    /// Whether the accessors are part of a program, which may not use all of them, rather than of a library.
    pub(crate) may_be_unused: bool,
}

/// Writes the types of a group and of its versions.
pub(crate) fn write(code: &mut Code, group: &Group, manner: &Manner) {
    let type_of = manner.type_of;
    let name = shown(&group.name);
    code.gap();
    code.line(&format!("/// The versions of {name}."));
    access_type(code, &group.type_name);
    code.gap();
    unused(code, manner);
    code.block(&format!("impl<'a> {0}<'a>", group.type_name), |code| {
        for version in &group.versions {
            code.gap();
            code.blocks(&conditions(version.availability(), group.availability()), |code| {
                code.line(&format!("/// The kinds of {}.", api_version(version)));
                let head = Function {
                    name: &format!("pub fn {}", version.function),
                    parameters: &["self"],
                    result: (&version.type_name, &["'a"]),
                };
                code.function(&head, &[format!("{}(self.0)", version.type_name)]);
            });
        }
    });
    for version in &group.versions {
        code.gap();
        let within = version.availability();
        code.blocks(&conditions(within, group.availability()), |code| {
            code.line(&format!("/// The kinds of {}.", api_version(version)));
            access_type(code, &version.type_name);
            code.gap();
            unused(code, manner);
            code.block(&format!("impl {}<'_>", version.type_name), |code| {
                for kind in &version.kinds {
                    index_keys(code, kind, type_of);
                }
                for kind in &version.kinds {
                    code.gap();
                    code.blocks(&conditions(kind.spec.availability, within), |code| {
                        accessor(code, kind, type_of);
                        index_accessors(code, kind, type_of);
                    });
                }
            });
        });
    }
}

/// The macros that limit code to the versions of `availability`, within code that is limited to `outer`.
pub(crate) fn conditions(availability: Availability, outer: Availability) -> Vec<String> {
    if availability == outer {
        return Vec::new();
    }
    availability.macros().iter().map(|name| format!("k8s_openapi::{name}!")).collect()
}

/// The function of the factory that leads to a group. `visibility` is `pub ` or, in a trait, nothing.
pub(crate) fn entry<R>(group: &Group, visibility: &str, write: impl FnOnce(&Function<'_>) -> R) -> R {
    write(&Function {
        name: &format!("{visibility}fn {}", group.function),
        parameters: &["&self"],
        result: (&group.type_name, &["'_"]),
    })
}

/// Allows unused code: a program may not use all accessors.
pub(crate) fn unused(code: &mut Code, manner: &Manner) {
    if manner.may_be_unused {
        code.line("#[allow(dead_code)]");
    }
}

fn access_type(code: &mut Code, name: &str) {
    code.line("#[derive(Clone, Copy, Debug)]");
    code.tuple_struct(&format!("{name}<'a>"), "&'a SharedInformerFactory");
}

fn accessor(code: &mut Code, kind: &Kind, type_of: fn(&KindSpec) -> String) {
    let place = match kind.spec.scope {
        SpecScope::Namespaced => "which live in namespaces",
        SpecScope::Cluster => "which belong to the whole cluster",
    };
    code.line(&format!("/// The `{}`, {place}.", kind.spec.resource()));
    let head = Function {
        name: &format!("pub fn {}", kind.function),
        parameters: &["self"],
        result: ("Access", &[&type_of(&kind.spec)]),
    };
    code.function(&head, &["self.0.kind()".to_owned()]);
}

fn index_keys(code: &mut Code, kind: &Kind, type_of: fn(&KindSpec) -> String) {
    for index in &kind.spec.indexes {
        code.gap();
        let path = path_of(index);
        code.line(&format!("/// Finds `{}` by `{}`.", kind.spec.resource(), in_one_line(&path)));
        let of = type_of(&kind.spec);
        code.constant(
            &constant(kind, &index.name),
            ("IndexKey", &[&of, &index.value_type]),
            ("IndexKey::new", &[literal(&index.name), literal(&path)]),
        );
    }
}

fn index_accessors(code: &mut Code, kind: &Kind, type_of: fn(&KindSpec) -> String) {
    for index in &kind.spec.indexes {
        code.gap();
        code.line(&format!(
            "/// The `{}` by `{}`; the index is added by the first call.",
            kind.spec.resource(),
            in_one_line(&path_of(index))
        ));
        let head = Function {
            name: &format!("pub fn {}_by_{}", kind.function, index.name),
            parameters: &["self"],
            result: ("Index", &[&type_of(&kind.spec), &index.value_type]),
        };
        let body = [
            format!("let informer = self.{}().informer();", kind.function),
            format!("informer.index_by(Self::{})", constant(kind, &index.name)),
        ];
        code.function(&head, &body);
    }
}

/// The path in one notation, whichever it was described in.
fn path_of(index: &IndexSpec) -> String {
    // The rules have refused what is no path.
    Path::parse_plain(&index.path).map_or_else(|_| index.path.clone(), |path| path.to_string())
}

/// For a comment: the compiler ends it at the end of a line, and refuses characters that change the direction of text.
fn in_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

fn constant(kind: &Kind, index: &str) -> String {
    format!("{}_BY_{}", kind.function, index).to_uppercase()
}

/// The name of a group for documentation; the name of the core group is empty in Kubernetes.
fn shown(group: &str) -> String {
    if group.is_empty() { "the core group".to_owned() } else { format!("`{group}`") }
}

fn api_version(version: &Version) -> String {
    let api_version = version.kinds.first().map(|kind| kind.spec.api_version());
    format!("`{}`", api_version.as_ref().unwrap_or(&version.name))
}

/// A string literal of Rust.
pub(crate) fn literal(text: &str) -> String {
    format!("{text:?}")
}

/// Group, version, kind, plural and scope as arguments.
pub(crate) fn facts(spec: &KindSpec) -> Vec<String> {
    let mut facts = [&spec.group, &spec.version, &spec.kind, &spec.plural].map(|fact| literal(fact)).to_vec();
    facts.push((spec.scope == SpecScope::Namespaced).to_string());
    facts
}

#[cfg(test)]
mod tests;

//! Whether a schema is structural: every field has a type, and `allOf` and the like only restrict values.

use super::node::{Additional, Items, Node};
use super::outcome::shown;
use super::pattern::Unusable;
use crate::status::Cause;

/// Where a schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Why a schema is not structural, in the order of the messages.
pub(super) fn check(root: &Node, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    invariants(root, Level::Root, path, &mut causes);
    complete(root, Some(root), path, path, &mut causes);
    causes.sort_by_cached_key(|cause| format!("{}: {}", cause.field, cause.message));
    causes
}

fn invariants(node: &Node, level: Level, path: &str, causes: &mut Vec<Cause>) {
    if node.kind == "array" && node.items.is_none() {
        causes.push(Cause::required(&format!("{path}.items"), "must be specified"));
    }
    if let Some(item) = node.item() {
        invariants(item, Level::Item, &format!("{path}.items"), causes);
    }
    for (name, field) in &node.properties {
        invariants(field, Level::Field, &format!("{path}.properties[{name}]"), causes);
    }
    let additional = format!("{path}.additionalProperties");
    if node.additional_properties.is_some() && level == Level::Root {
        causes.push(Cause::forbidden(&additional, "must not be used at the root"));
    }
    if let Some(field) = node.additional() {
        invariants(field, Level::Field, &additional, causes);
    }
    if node.int_or_string {
        for (name, is_set) in
            [("preserve-unknown-fields", node.preserves()), ("embedded-resource", node.embedded)]
        {
            if is_set {
                let why = "must be false if x-kubernetes-int-or-string is true";
                causes.push(Cause::invalid(&format!("{path}.x-kubernetes-{name}"), "true", why));
            }
        }
    }
    restrictions(node, is_int_or_string(&node.any_of), is_first_int_or_string(node), path, causes);
    types(node, level, path, causes);
    if node.embedded && node.additional_properties.is_some() {
        causes
            .push(Cause::forbidden(&additional, "must not be used if x-kubernetes-embedded-resource is set"));
    }
    metadata(node, level, path, causes);
    if node.embedded && !node.preserves() && node.properties.is_empty() {
        let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                   x-kubernetes-preserve-unknown-fields";
        causes.push(Cause::required(&format!("{path}.properties"), why));
    }
}

fn types(node: &Node, level: Level, path: &str, causes: &mut Vec<Cause>) {
    let field = format!("{path}.type");
    let kind = format!("{:?}", node.kind);
    if node.embedded && node.kind != "object" {
        let why = "must be object if x-kubernetes-embedded-resource is true";
        causes.push(if node.kind.is_empty() {
            Cause::required(&field, why)
        } else {
            Cause::invalid(&field, &kind, why)
        });
    } else if node.kind.is_empty() && !node.int_or_string && !node.preserves() {
        let why = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        causes.push(Cause::required(&field, why));
    }
    if level == Level::Root && !node.kind.is_empty() && node.kind != "object" {
        causes.push(Cause::invalid(&field, &kind, "must be object at the root"));
    }
}

/// The fields that every object has.
fn metadata(node: &Node, level: Level, path: &str, causes: &mut Vec<Cause>) {
    let is_resource = level == Level::Root || node.embedded;
    let field = |name: &str| node.properties.get(name);
    for name in ["kind", "apiVersion"] {
        if let Some(field) = field(name).filter(|field| is_resource && field.kind != "string") {
            let path = format!("{path}.properties[{name}].type");
            causes.push(Cause::invalid(&path, &format!("{:?}", field.kind), "must be string"));
        }
    }
    let Some(metadata) = field("metadata") else { return };
    let path = format!("{path}.properties[metadata]");
    if is_resource && metadata.kind != "object" {
        let kind = format!("{:?}", metadata.kind);
        causes.push(Cause::invalid(&format!("{path}.type"), &kind, "must be object"));
    }
    if level == Level::Root {
        let mut rest = metadata.clone();
        if rest.properties.keys().all(|name| matches!(&**name, "name" | "generateName")) {
            rest.properties.clear();
        }
        rest.kind.clear();
        rest.default = serde_json::Value::Null;
        if rest != Node::default() {
            let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            causes.push(Cause::forbidden(&path, why));
        }
    }
}

/// `anyOf: [{type: integer}, {type: string}]`, which may have types.
fn is_int_or_string(alternatives: &[Node]) -> bool {
    let of = |kind: &str| Node { kind: kind.to_owned(), ..Node::default() };
    alternatives == [of("integer"), of("string")]
}

fn is_first_int_or_string(node: &Node) -> bool {
    node.all_of.first().is_some_and(|first| is_int_or_string(&first.any_of))
}

/// `allOf` and the like.
fn restrictions(node: &Node, skip_any: bool, skip_first: bool, path: &str, causes: &mut Vec<Cause>) {
    for (index, part) in node.any_of.iter().enumerate().filter(|_| !skip_any) {
        nested(part, false, &format!("{path}.anyOf[{index}]"), causes);
    }
    for (index, part) in node.all_of.iter().enumerate() {
        nested(part, skip_first && index == 0, &format!("{path}.allOf[{index}]"), causes);
    }
    for (index, part) in node.one_of.iter().enumerate() {
        nested(part, false, &format!("{path}.oneOf[{index}]"), causes);
    }
    if let Some(not) = &node.not {
        nested(not, false, &format!("{path}.not"), causes);
    }
    if let Some(pattern) = node.pattern.as_ref().filter(|pattern| !pattern.text.is_empty())
        && let Err(Unusable::InGo(problem)) = &pattern.compiled
    {
        let why = format!("must be a valid regular expression, but isn't: {problem}");
        causes.push(Cause::invalid(&format!("{path}.pattern"), &format!("{:?}", pattern.text), &why));
    }
}

/// Inside of `allOf` and the like, values may be restricted; nothing else may be said.
fn nested(node: &Node, skip_any: bool, path: &str, causes: &mut Vec<Cause>) {
    restrictions(node, skip_any, false, path, causes);
    if let Some(item) = node.item() {
        nested(item, false, &format!("{path}.items"), causes);
    }
    for (name, field) in &node.properties {
        nested(field, false, &format!("{path}.properties[{name}]"), causes);
    }
    let said = [
        ("type", !node.kind.is_empty(), "empty"),
        ("additionalProperties", node.additional_properties.is_some(), "undefined"),
        ("default", node.has_default(), "undefined"),
        ("title", !node.title.is_empty(), "empty"),
        ("description", !node.description.is_empty(), "empty"),
        ("nullable", node.nullable, "false"),
        ("x-kubernetes-preserve-unknown-fields", node.preserves(), "false"),
        ("x-kubernetes-embedded-resource", node.embedded, "false"),
        ("x-kubernetes-int-or-string", node.int_or_string, "false"),
        ("x-kubernetes-list-map-keys", !node.list_keys.is_empty(), "empty"),
        ("x-kubernetes-list-type", node.list_type.is_some(), "undefined"),
        ("x-kubernetes-map-type", node.map_type.is_some(), "undefined"),
        ("x-kubernetes-validations", !node.rules.is_empty(), "empty"),
    ];
    for (name, _, wanted) in said.into_iter().filter(|(_, is_said, _)| *is_said) {
        causes
            .push(Cause::forbidden(&format!("{path}.{name}"), &format!("must be {wanted} to be structural")));
    }
    if node.properties.contains_key("metadata") {
        let why = "must not be specified in a nested context";
        causes.push(Cause::forbidden(&format!("{path}.properties[metadata]"), why));
    }
}

/// What `allOf` and the like restrict must be specified outside of them.
fn complete(part: &Node, of: Option<&Node>, path: &str, part_path: &str, causes: &mut Vec<Cause>) {
    let lists = [("allOf", &part.all_of), ("anyOf", &part.any_of), ("oneOf", &part.one_of)];
    let each = lists.into_iter().flat_map(|(name, parts)| {
        parts.iter().enumerate().map(move |(index, part)| (format!("{part_path}.{name}[{index}]"), part))
    });
    let not = part.not.as_deref().map(|not| (format!("{part_path}.not"), not));
    for (part_path, part) in not.into_iter().chain(each) {
        complete_nested(part, of, path, &part_path, causes);
    }
}

fn complete_nested(part: &Node, of: Option<&Node>, path: &str, part_path: &str, causes: &mut Vec<Cause>) {
    let missing =
        |path: &str, part_path: &str| Cause::required(path, &format!("because it is defined in {part_path}"));
    let Some(of) = of else {
        causes.push(missing(path, part_path));
        return;
    };
    complete(part, Some(of), path, part_path, causes);
    if let Some(item) = part.item() {
        complete_nested(item, of.item(), &format!("{path}.items"), &format!("{part_path}.items"), causes);
    }
    for (name, field) in &part.properties {
        let path = format!("{path}.properties[{name}]");
        let part_path = format!("{part_path}.properties[{name}]");
        complete_nested(field, of.properties.get(name), &path, &part_path, causes);
    }
}

/// Whether a schema uses a keyword that no definition may use, at any depth.
pub(super) fn is_unreadable(node: &Node) -> bool {
    let is_set = |value: &serde_json::Value| match value {
        serde_json::Value::Null => false,
        serde_json::Value::Object(members) => !members.is_empty(),
        _ => true,
    };
    let Node { forbidden, .. } = node;
    let here = !forbidden.id.is_empty()
        || !forbidden.additional_items.is_null()
        || [
            &forbidden.pattern_properties,
            &forbidden.definitions,
            &forbidden.dependencies,
            &forbidden.reference,
        ]
        .into_iter()
        .any(is_set);
    here || children(node).any(is_unreadable)
}

/// All schemas inside of a schema.
pub(super) fn children(node: &Node) -> impl Iterator<Item = &Node> {
    let each: &[Node] = match &node.items {
        Some(Items::Each(each)) => each,
        Some(Items::All(_)) | None => &[],
    };
    let additional = match &node.additional_properties {
        Some(Additional::Schema(of)) => Some(&**of),
        Some(Additional::Allowed(_)) | None => None,
    };
    let lists = [each, &node.all_of, &node.any_of, &node.one_of].into_iter().flatten();
    let single = node.item().into_iter().chain(additional).chain(node.not.as_deref());
    node.properties.values().chain(lists).chain(single)
}

/// A value in a message about a definition.
pub(super) fn quoted(text: &str) -> String {
    shown(&text.into())
}

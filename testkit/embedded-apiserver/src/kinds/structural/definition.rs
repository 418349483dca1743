//! Validation of the schemas of a CustomResourceDefinition when it is written.

use serde::Deserialize as _;
use serde_json::Value;

use super::node::{Additional, Items, Node};
use super::outcome::shown;
use super::pattern::Unusable;
use super::structure::{self, quoted};
use super::{embedded, prune, rules, values};
use crate::status::Cause;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// What may be said at the root of a schema if the status is a subresource.
const AT_ROOT: &str = "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength \
                       Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example \
                       XPreserveUnknownFields XValidations]";
const NOT_AT_ROOT: [&str; 14] = [
    "nullable",
    "default",
    "maxProperties",
    "minProperties",
    "enum",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "additionalProperties",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

/// What is wrong with a schema. `path` is that of `openAPIV3Schema`; `has_status` says whether the status is a subresource.
pub(in crate::kinds) fn check(schema: &Value, path: &str, has_status: bool) -> Vec<Cause> {
    // One that cannot be read is not wrong: see `lacking`.
    let Ok(root) = Node::deserialize(schema) else { return Vec::new() };
    let mut causes = Vec::new();
    if has_status {
        let is_set =
            |name: &&str| !matches!(schema.get(*name), None | Some(Value::Null | Value::Bool(false)));
        if !root.kind.is_empty() && root.kind != "object" {
            let why = "only \"object\" is allowed as the type at the root of the schema if the status subresource is \
                       enabled";
            causes.push(Cause::invalid(&format!("{path}.type"), &quoted(&root.kind), why));
        } else if NOT_AT_ROOT.iter().any(is_set) {
            let why = format!(
                "only {AT_ROOT} fields are allowed at the root of the schema if the status subresource is enabled"
            );
            causes.push(Cause::invalid(path, &schema.to_string(), &why));
        }
    }
    if root.nullable {
        causes.push(Cause::forbidden(&format!("{path}.nullable"), "nullable cannot be true at the root"));
    }
    if !structure::is_unreadable(&root) {
        let before = causes.len();
        causes.extend(structure::check(&root, path));
        if causes.len() == before {
            // The root is a resource as embedded ones are.
            let root = Node { embedded: true, ..root.clone() };
            check_defaults(&root, path, &mut causes);
        }
    }
    check_schema(&root, path, &Context { is_root: true, ..Context::default() }, &mut causes);
    if causes.is_empty() {
        causes = rules::check(&root, path);
    }
    causes
}

/// What a schema needs that this server does not have.
pub(in crate::kinds) fn lacking(schema: &Value) -> Option<String> {
    let root = match Node::deserialize(schema) {
        Ok(root) => root,
        Err(error) => {
            return Some(format!("this server cannot read the schema, which need not be wrong: {error}"));
        }
    };
    let pattern = unusable(&root).map(|what| format!("{what} are not supported by this server"));
    pattern.or_else(|| rules::lacking(&root))
}

/// The first pattern that only this server cannot use.
fn unusable(node: &Node) -> Option<String> {
    match node.pattern.as_ref().map(|pattern| &pattern.compiled) {
        Some(Err(Unusable::Here(what))) => Some(what.clone()),
        _ => structure::children(node).find_map(unusable),
    }
}

fn check_defaults(node: &Node, path: &str, causes: &mut Vec<Cause>) {
    if node.has_default() {
        let path = format!("{path}.default");
        let mut pruned = node.default.clone();
        prune::prune_value(&mut pruned, node);
        if pruned != node.default {
            causes.push(Cause::invalid(&path, &shown(&node.default), "must not have unknown fields"));
        }
        let before = causes.len();
        embedded::check(&node.default, node, &path, causes);
        if causes.len() == before {
            causes.extend(values::validate(&node.default, &loosened(node), "", None).causes(&path));
        }
    }
    if let Some(item) = node.item() {
        check_defaults(item, &format!("{path}.items"), causes);
    }
    for (name, field) in &node.properties {
        check_defaults(field, &format!("{path}.properties[{name}]"), causes);
    }
}

/// A schema as defaults are validated with it: the real server does not look at the type of what is an integer or a string.
fn loosened(node: &Node) -> Node {
    let mut node = Node { int_or_string: false, ..node.clone() };
    node.properties.values_mut().for_each(|field| *field = loosened(field));
    if let Some(Items::All(inner)) = &mut node.items {
        **inner = loosened(inner);
    }
    if let Some(Additional::Schema(inner)) = &mut node.additional_properties {
        **inner = loosened(inner);
    }
    node
}

/// What is known of the place of a schema.
#[derive(Clone, Debug, Default)]
struct Context {
    is_root: bool,
    /// Whether it is about metadata of a resource.
    in_metadata: bool,
    /// Why there must be no default; empty if there may be one.
    no_default: String,
}

fn check_schema(node: &Node, path: &str, context: &Context, causes: &mut Vec<Cause>) {
    check_keywords(node, path, context, causes);
    if node.unique_items {
        let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        causes.push(Cause::forbidden(&format!("{path}.uniqueItems"), why));
    }
    let inner = Context { is_root: false, ..context.clone() };
    if let Some(additional) = &node.additional_properties {
        let path = format!("{path}.additionalProperties");
        if !node.properties.is_empty() && !matches!(additional, Additional::Allowed(true)) {
            causes.push(Cause::forbidden(&path, "additionalProperties and properties are mutual exclusive"));
        }
        let mut inner = inner.clone();
        if inner.in_metadata {
            inner.no_default = "inside additionalProperties applying to object metadata".to_owned();
        }
        if let Additional::Schema(of) = additional {
            check_schema(of, &path, &inner, causes);
        }
    }
    for (name, field) in &node.properties {
        let mut inner = inner.clone();
        if (context.is_root || node.embedded) && prune::META.contains(&&**name) {
            inner.in_metadata = true;
            if context.is_root {
                inner.no_default = format!("in top-level {name}");
            }
        }
        check_schema(field, &format!("{path}.properties[{name}]"), &inner, causes);
    }
    if let Some(not) = &node.not {
        check_schema(not, &format!("{path}.not"), &inner, causes);
    }
    for (name, parts) in [("allOf", &node.all_of), ("oneOf", &node.one_of), ("anyOf", &node.any_of)] {
        for (index, part) in parts.iter().enumerate() {
            check_schema(part, &format!("{path}.{name}[{index}]"), &inner, causes);
        }
    }
    match &node.items {
        Some(Items::All(item)) => check_schema(item, &format!("{path}.items"), &inner, causes),
        Some(Items::Each(each)) => {
            for (index, item) in each.iter().enumerate() {
                check_schema(item, &format!("{path}.items[{index}]"), &inner, causes);
            }
        }
        None => {}
    }
    if node.preserve == Some(false) {
        let field = format!("{path}.x-kubernetes-preserve-unknown-fields");
        causes.push(Cause::invalid(&field, "false", "must be true or undefined"));
    }
    check_map_type(node, path, causes);
    check_list_type(node, path, causes);
    check_list_keys(node, path, causes);
    rules::check_texts(node, path, causes);
}

fn check_keywords(node: &Node, path: &str, context: &Context, causes: &mut Vec<Cause>) {
    if !node.kind.is_empty() && !TYPES.contains(&&*node.kind) {
        causes.push(Cause::unsupported(&format!("{path}.type"), &node.kind, &TYPES));
    }
    if node.has_default() && !context.no_default.is_empty() {
        let why = format!("must not be set {}", context.no_default);
        causes.push(Cause::forbidden(&format!("{path}.default"), &why));
    }
    let forbidden = &node.forbidden;
    let is_filled = |value: &Value| value.as_object().is_some_and(|members| !members.is_empty());
    let keywords = [
        ("id", !forbidden.id.is_empty()),
        ("additionalItems", !forbidden.additional_items.is_null()),
        ("patternProperties", is_filled(&forbidden.pattern_properties)),
        ("definitions", is_filled(&forbidden.definitions)),
        ("dependencies", forbidden.dependencies.is_object()),
        ("$ref", !forbidden.reference.is_null()),
    ];
    for (name, _) in keywords.into_iter().filter(|(_, is_used)| *is_used) {
        causes.push(Cause::forbidden(&format!("{path}.{name}"), &format!("{name} is not supported")));
    }
    if node.kind == "null" {
        let why = "type cannot be set to null, use nullable as an alternative";
        causes.push(Cause::forbidden(&format!("{path}.type"), why));
    }
    if matches!(&node.items, Some(Items::Each(each)) if !each.is_empty()) {
        causes.push(Cause::forbidden(
            &format!("{path}.items"),
            "items must be a schema object and not an array",
        ));
    }
    if context.in_metadata && node.embedded {
        let field = format!("{path}.x-kubernetes-embedded-resource");
        causes.push(Cause::forbidden(&field, "must not be used inside of resource meta"));
    }
}

/// An extension that only one type may have.
fn check_type_of(node: &Node, wanted: &str, extension: &str, path: &str, causes: &mut Vec<Cause>) {
    let field = format!("{path}.type");
    let why = format!("must be {wanted} if {extension} is specified");
    causes.push(if node.kind.is_empty() {
        Cause::required(&field, &why)
    } else {
        Cause::invalid(&field, &quoted(&node.kind), &why)
    });
}

fn check_map_type(node: &Node, path: &str, causes: &mut Vec<Cause>) {
    let Some(map_type) = &node.map_type else { return };
    if node.kind != "object" {
        check_type_of(node, "object", "x-kubernetes-map-type", path, causes);
    }
    if !matches!(&**map_type, "atomic" | "granular") {
        let field = format!("{path}.x-kubernetes-map-type");
        causes.push(Cause::unsupported(&field, map_type, &["atomic", "granular"]));
    }
}

fn check_list_type(node: &Node, path: &str, causes: &mut Vec<Cause>) {
    let Some(list_type) = &node.list_type else { return };
    if node.kind != "array" {
        check_type_of(node, "array", "x-kubernetes-list-type", path, causes);
    } else if let Some(item) = node.item().filter(|_| list_type == "set") {
        let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let shown = |text: &Option<String>| text.as_ref().map_or("null".to_owned(), |text| quoted(text));
        if item.kind == "array" && item.list_type.as_deref().is_some_and(|inner| inner != "atomic") {
            let field = format!("{path}.items.x-kubernetes-list-type");
            causes.push(Cause::invalid(&field, &shown(&item.list_type), why));
        }
        if item.kind == "object" && item.map_type.as_deref() != Some("atomic") {
            // The real server shows the list type here.
            let field = format!("{path}.items.x-kubernetes-map-type");
            causes.push(Cause::invalid(&field, &shown(&item.list_type), why));
        }
    }
    if !matches!(&**list_type, "atomic" | "set" | "map") {
        let field = format!("{path}.x-kubernetes-list-type");
        causes.push(Cause::unsupported(&field, list_type, &["atomic", "set", "map"]));
    }
}

fn check_list_keys(node: &Node, path: &str, causes: &mut Vec<Cause>) {
    let keys = format!("{path}.x-kubernetes-list-map-keys");
    let list_type = node.list_type.as_deref();
    if !node.list_keys.is_empty() && list_type != Some("map") {
        let field = format!("{path}.x-kubernetes-list-type");
        let why = "must be map if x-kubernetes-list-map-keys is non-empty";
        causes.push(match list_type {
            None => Cause::required(&field, why),
            Some(other) => Cause::invalid(&field, &quoted(other), why),
        });
    }
    let items = format!("{path}.items");
    if list_type == Some("map") {
        if node.list_keys.is_empty() {
            causes.push(Cause::required(&keys, "must not be empty if x-kubernetes-list-type is map"));
        }
        if node.items.is_none() {
            causes.push(Cause::required(&items, "must have a schema if x-kubernetes-list-type is map"));
        }
        if let Some(item) = node.item().filter(|item| item.kind != "object") {
            let why = "must be object if parent array's x-kubernetes-list-type is map";
            causes.push(Cause::invalid(&format!("{items}.type"), &quoted(&item.kind), why));
        }
        let all = Value::from(node.list_keys.clone()).to_string();
        let item = node.item().filter(|item| item.kind == "object");
        for (index, key) in node.list_keys.iter().enumerate().filter(|_| item.is_some()) {
            match item.and_then(|item| item.properties.get(key)) {
                Some(field) if matches!(&*field.kind, "array" | "object") => {
                    let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                    let field = format!("{items}.properties[{key}].type");
                    causes.push(Cause::invalid(&field, "\"object\"", why));
                }
                Some(_) => {}
                None => {
                    causes.push(Cause::invalid(&keys, &all, "entries must all be names of item properties"));
                }
            }
            if node.list_keys[..index].contains(key) {
                causes.push(Cause::invalid(&keys, &all, "must not contain duplicate entries"));
            }
        }
    }
    let (Some(item), Some(list_type @ ("set" | "map"))) = (node.item(), list_type) else { return };
    if item.nullable {
        let why = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        causes.push(Cause::forbidden(&format!("{items}.nullable"), &why));
    }
    for key in node.list_keys.iter().filter(|_| list_type == "map") {
        let Some(field) = item.properties.get(key) else { continue };
        let path = format!("{items}.properties[{key}]");
        if !item.required.contains(key) && !field.has_default() {
            let why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            causes.push(Cause::required(&format!("{path}.default"), why));
        }
        if field.nullable {
            let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            causes.push(Cause::forbidden(&format!("{path}.nullable"), why));
        }
    }
}

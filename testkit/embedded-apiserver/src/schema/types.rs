//! Types, read from the schemas of the OpenAPI documents: each when it is first needed.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::go_types;
use crate::kinds::Resource;
use crate::openapi::{self, Packed};

/// All types by name, shared by all servers of the process.
static TYPES: LazyLock<HashMap<&'static str, Lazy>> =
    LazyLock::new(|| openapi::schemas().map(|packed| (packed.name, Lazy::new(packed))).collect());

/// The names of the types of kinds, by apiVersion and kind.
static KINDS: LazyLock<HashMap<&'static str, &'static Lazy>> = LazyLock::new(|| {
    let kinds = TYPES.values().filter(|lazy| !lazy.packed.kind.is_empty());
    kinds.map(|lazy| (lazy.packed.kind, lazy)).collect()
});

/// A type that is parsed when it is first used.
#[derive(Debug)]
pub(crate) struct Lazy {
    packed: Packed,
    parsed: OnceLock<Struct>,
}

/// A Go struct.
#[derive(Debug, Default)]
pub(crate) struct Struct {
    /// With its package, as Go prints it: `v1.PodSpec`.
    pub(crate) go_name: &'static str,
    pub(crate) fields: HashMap<String, Field>,
    /// What is written of fields that are not set, if anything.
    pub(crate) always: Map<String, Value>,
}

/// A field of a struct.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) shape: Shape,
    /// How a strategic merge patch treats it: `merge` a list, `replace` a map. If neither is said, it replaces lists and
    /// merges maps. `retainKeys` is not among them, because patches name the keys that are retained.
    pub(crate) strategy: String,
    /// The field that identifies the items of a list that is merged; empty for lists of scalars.
    pub(crate) merge_key: String,
    /// Whether an empty list or map is as good as none.
    pub(super) omits_empty: bool,
    /// Whether zero is left out.
    pub(super) omits_zero: bool,
}

/// The type of a value.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Struct(&'static Lazy),
    Map(Box<Self>),
    List(Box<Self>),
    String,
    Bool,
    Int32,
    Int64,
    Float,
    /// Base64.
    Bytes,
    Quantity,
    IntOrString,
    Time,
    MicroTime,
    /// Anything, kept as it is.
    Any,
    /// Anything; fields that occur twice are noticed.
    Free,
    /// A JSON schema, or something else in its place. Go reads it by itself, and then notices no unknown fields.
    SchemaOr(Instead),
}

/// What may be in place of a JSON schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    Bool,
    Schemas,
    Texts,
}

/// The type of a JSON schema in a CustomResourceDefinition.
pub(super) static JSON_SCHEMA: LazyLock<Shape> = LazyLock::new(|| {
    let name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    TYPES.get(name).map_or(Shape::Any, Shape::Struct)
});

/// The type of the objects of a built-in kind; `None` for custom resources, and for kinds of other releases of Kubernetes.
pub(crate) fn of(resource: &Resource) -> Option<&'static Struct> {
    if resource.custom { None } else { named(&resource.api_version(), &resource.kind) }
}

/// The type of the metadata of all objects.
pub(crate) fn object_meta() -> Option<&'static Struct> {
    TYPES.get("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").map(Lazy::get)
}

/// The type of a kind that is not a resource of its own, such as `Scale`.
pub(crate) fn named(api_version: &str, kind: &str) -> Option<&'static Struct> {
    KINDS.get(&*format!("{api_version} {kind}")).map(|lazy| lazy.get())
}

/// The type of the operations of JSON patches, which is in no document.
pub(super) fn operation() -> Struct {
    let field = |name: &str, shape| {
        let strategy = String::new();
        let merge_key = String::new();
        (name.to_owned(), Field { shape, strategy, merge_key, omits_empty: false, omits_zero: false })
    };
    let texts = ["op", "path", "from"].map(|name| field(name, Shape::String));
    let fields = texts.into_iter().chain([field("value", Shape::Free)]).collect();
    Struct { go_name: "handlers.jsonPatchOp", fields, always: Map::new() }
}

impl Lazy {
    fn new(packed: Packed) -> Self {
        Self { packed, parsed: OnceLock::new() }
    }

    pub(crate) fn get(&self) -> &Struct {
        self.parsed.get_or_init(|| {
            // The documents are part of the program; a test parses all of them.
            let schema: Schema = serde_json::from_str(self.packed.json).unwrap_or_default();
            let required = schema.required;
            let written = go_types::written(self.packed.name);
            let field = |(name, field): (String, Schema)| {
                let mut field = field.field();
                let is_list = matches!(field.shape, Shape::List(_) | Shape::Map(_));
                let is_written = match &written {
                    Some(written) => written.always.contains_key(&name),
                    None => required.contains(&name),
                };
                // The real server stores what it calls its own as protobuf, which has no empty lists.
                let is_json = self.packed.name.starts_with("io.k8s.apiextensions-apiserver.");
                field.omits_empty = is_list && !(is_written && is_json);
                field.omits_zero =
                    written.as_ref().is_some_and(|written| written.unless_zero.contains(&&*name));
                (name, field)
            };
            let fields = schema.properties.into_iter().map(field).collect();
            let always = written.map(|written| written.always).unwrap_or_default();
            Struct { go_name: self.go_name(), fields, always }
        })
    }

    /// The last two parts of its name.
    pub(crate) fn go_name(&self) -> &'static str {
        let name = self.packed.name;
        let start = name.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
        &name[start..]
    }
}

/// A schema, or what is needed of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Schema {
    #[serde(rename = "type")]
    kind: String,
    format: String,
    #[serde(rename = "$ref")]
    reference: String,
    #[serde(rename = "allOf")]
    all_of: Vec<Self>,
    properties: HashMap<String, Self>,
    required: Vec<String>,
    items: Option<Box<Self>>,
    #[serde(rename = "additionalProperties")]
    values: Option<Box<Self>>,
    #[serde(rename = "x-kubernetes-patch-strategy")]
    patch_strategy: String,
    #[serde(rename = "x-kubernetes-patch-merge-key")]
    patch_merge_key: String,
}

impl Schema {
    fn field(self) -> Field {
        let shape = self.shape();
        let strategy = self.patch_strategy.split(',').find(|strategy| *strategy != "retainKeys");
        let strategy = strategy.unwrap_or_default().to_owned();
        Field { shape, strategy, merge_key: self.patch_merge_key, omits_empty: false, omits_zero: false }
    }

    fn shape(&self) -> Shape {
        if let Some(one) = self.all_of.first() {
            return one.shape();
        }
        if let Some(name) = self.reference.strip_prefix("#/components/schemas/") {
            return referenced(name);
        }
        let inner = |schema: &Option<Box<Self>>| schema.as_ref().map_or(Shape::Any, |schema| schema.shape());
        match (&*self.kind, &*self.format) {
            ("array", _) => Shape::List(Box::new(inner(&self.items))),
            ("object", _) if self.values.is_some() => Shape::Map(Box::new(inner(&self.values))),
            ("string", "byte") => Shape::Bytes,
            ("string", _) => Shape::String,
            ("boolean", _) => Shape::Bool,
            ("integer", "int32") => Shape::Int32,
            ("integer", _) => Shape::Int64,
            ("number", _) => Shape::Float,
            _ => Shape::Any,
        }
    }
}

/// The types that have a form of their own in JSON; all others are structs.
fn referenced(name: &str) -> Shape {
    match name.rsplit('.').next().unwrap_or_default() {
        "Quantity" => Shape::Quantity,
        "IntOrString" => Shape::IntOrString,
        "Time" => Shape::Time,
        "MicroTime" => Shape::MicroTime,
        "RawExtension" | "FieldsV1" => Shape::Any,
        "JSON" => Shape::Any,
        "JSONSchemaPropsOrArray" => Shape::SchemaOr(Instead::Schemas),
        "JSONSchemaPropsOrBool" => Shape::SchemaOr(Instead::Bool),
        "JSONSchemaPropsOrStringArray" => Shape::SchemaOr(Instead::Texts),
        #[cfg(test)]
        _ if foreign(name).is_some() => foreign(name).map_or(Shape::Any, Shape::Struct),
        _ => TYPES.get(name).map_or(Shape::Any, Shape::Struct),
    }
}

impl Shape {
    /// The type as Go prints it. The names that Go gives to some strings are in no document, so that they are `string` here.
    pub(crate) fn go_type(&self) -> String {
        match self {
            Self::Struct(lazy) => lazy.go_name().to_owned(),
            Self::Map(values) => format!("map[string]{}", values.go_type()),
            Self::List(items) => format!("[]{}", items.go_type()),
            Self::String | Self::Time | Self::MicroTime => "string".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Int32 | Self::IntOrString => "int32".to_owned(),
            Self::Int64 => "int64".to_owned(),
            Self::Float => "float64".to_owned(),
            Self::Bytes => "[]uint8".to_owned(),
            Self::Quantity => "resource.Quantity".to_owned(),
            Self::Any | Self::Free | Self::SchemaOr(_) => "interface {}".to_owned(),
        }
    }
}

/// Types of tests that were not written for this server.
#[cfg(test)]
static FOREIGN: OnceLock<HashMap<&'static str, Lazy>> = OnceLock::new();

#[cfg(test)]
fn foreign(name: &str) -> Option<&'static Lazy> {
    FOREIGN.get()?.get(name)
}

/// Adds the schemas of a document and returns the type with that name.
#[cfg(test)]
pub(crate) fn add_foreign(document: &Value, name: &str) -> Option<&'static Struct> {
    FOREIGN.get_or_init(|| {
        let schemas = document["components"]["schemas"].as_object().into_iter().flatten();
        let lazy = |(name, schema): (&String, &Value)| {
            let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
            let name = leaked(format!("test.{name}"));
            (&name["test.".len()..], Lazy::new(Packed { name, kind: "", json: leaked(schema.to_string()) }))
        };
        schemas.map(lazy).collect()
    });
    foreign(name).map(Lazy::get)
}

/// All of them, parsed.
#[cfg(test)]
pub(super) fn all() -> Vec<&'static Struct> {
    TYPES.values().map(Lazy::get).collect()
}

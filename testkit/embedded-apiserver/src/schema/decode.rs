//! Reads an object by its type, as Go reads JSON into a struct: unknown fields are dropped, and what is wrong is noted in the
//! order in which it occurs.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::go_types::is_zero;
use super::types::{Instead, JSON_SCHEMA, Shape, Struct};
use super::{quantity, scalar, types};

/// How many unknown and duplicated fields are noted.
const MOST: usize = 100;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// As Go writes it: without its unknown fields, without nulls and zeros that need not be written, and with those that are.
    pub(crate) object: Map<String, Value>,
    /// The unknown and the duplicated fields: what `fieldValidation` is about.
    pub(crate) strict: Vec<String>,
    /// A value of a wrong type.
    pub(crate) problem: Option<String>,
}

/// Whose messages are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Those of the JSON library, for what comes as text.
    Text,
    /// Those of the conversion from maps to structs, for the results of strategic merge patches.
    Tree,
}

/// Reads an object of that type from JSON text or from a value.
pub(crate) fn decode<'de, D: Deserializer<'de>>(
    of: &Struct,
    flavour: Flavour,
    from: D,
) -> Result<Decoded, D::Error> {
    let mut notes = Notes::new(flavour);
    let read = from.deserialize_any(Reader { notes: &mut notes, what: What::Struct(of), owner: of })?;
    let object = match read {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    Ok(Decoded { object, strict: notes.strict, problem: notes.fatal.or(notes.problem) })
}

/// The fields that occur twice in a document of no particular type.
pub(crate) fn duplicates(json: &[u8]) -> Vec<String> {
    let mut notes = Notes::new(Flavour::Text);
    let nothing = Struct::default();
    let reader = Reader { notes: &mut notes, what: What::Shape(&Shape::Free), owner: &nothing };
    // The caller has parsed it already, or is about to.
    let _ = serde_json::Deserializer::from_slice(json).deserialize_any(reader);
    notes.strict
}

/// The duplicated fields of a JSON patch, and those that its operations do not have.
pub(crate) fn operations(json: &[u8]) -> Vec<String> {
    let mut notes = Notes::new(Flavour::Text);
    let operation = types::operation();
    let reader = Reader { notes: &mut notes, what: What::List(&operation), owner: &operation };
    let _ = serde_json::Deserializer::from_slice(json).deserialize_any(reader);
    notes.strict
}

/// A step on the way from the object to a value.
enum Step<'t> {
    Field(&'t str),
    Key(String),
    Index(usize),
}

/// What is noted on the way.
struct Notes<'t> {
    flavour: Flavour,
    path: Vec<Step<'t>>,
    strict: Vec<String>,
    /// The first value of a wrong type. Go goes on reading after it.
    problem: Option<String>,
    /// The first text that cannot be parsed. Go stops there.
    fatal: Option<String>,
    /// Whether a part is read that Go reads by itself: unknown fields are not noticed, and Go stops at a wrong type.
    is_apart: bool,
}

/// What a value in JSON is.
enum Found {
    Bool,
    Integer(String),
    Float(String),
    String,
    List,
    Map,
}

impl Found {
    /// Its type in JSON.
    fn json(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Integer(_) | Self::Float(_) => "number",
            Self::String => "string",
            Self::List => "array",
            Self::Map => "object",
        }
    }

    /// Its type in Go.
    fn go(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Integer(_) => "int64",
            Self::Float(_) => "float64",
            Self::String => "string",
            Self::List => "slice",
            Self::Map => "map",
        }
    }
}

impl Notes<'_> {
    fn new(flavour: Flavour) -> Self {
        Self { flavour, path: Vec::new(), strict: Vec::new(), problem: None, fatal: None, is_apart: false }
    }

    /// Notes something about a field of the value at the end of the path.
    fn note(&mut self, what: &str, field: &str) {
        if self.is_apart || self.strict.len() >= MOST {
            return;
        }
        let mut path = String::new();
        let last = Step::Field(field);
        for step in self.path.iter().chain([&last]) {
            let name = match step {
                Step::Index(index) => &format!("[{index}]"),
                Step::Field(name) => *name,
                Step::Key(name) => name.as_str(),
            };
            let is_name = !matches!(step, Step::Index(_));
            path.push_str(if is_name && !path.is_empty() { "." } else { "" });
            path.push_str(name);
        }
        let note = format!("{what} field \"{path}\"");
        if !self.strict.contains(&note) {
            self.strict.push(note);
        }
    }

    /// A value of a wrong type in a field of `owner`.
    fn wrong(&mut self, found: &Found, wanted: &Shape, owner: &Struct) {
        let is_integer = matches!(wanted, Shape::Int32 | Shape::Int64 | Shape::IntOrString);
        let is_own = matches!(wanted, Shape::IntOrString | Shape::Time | Shape::MicroTime);
        let wanted_type = wanted.go_type();
        let message = match self.flavour {
            Flavour::Tree if is_own => {
                format!("json: cannot unmarshal {} into Go value of type {wanted_type}", found.json())
            }
            Flavour::Tree => match (wanted, found) {
                (Shape::Struct(_), _) => format!("cannot restore struct from: {}", found.go()),
                (Shape::Map(_), _) => format!("cannot restore map from {}", found.go()),
                (Shape::List(_) | Shape::Bytes, _) => format!("cannot restore slice from {}", found.go()),
                (Shape::String, Found::Integer(_)) | (_, Found::Float(_))
                    if is_integer || wanted_type == "string" =>
                {
                    match (wanted, found) {
                        (Shape::String, Found::Float(_)) => "unrecognized type: string".to_owned(),
                        _ => format!("cannot convert {} to {wanted_type}", found.go()),
                    }
                }
                _ => format!("unrecognized type: {wanted_type}"),
            },
            Flavour::Text => {
                let number = match found {
                    Found::Integer(text) | Found::Float(text) if is_integer => format!(" {text}"),
                    _ => String::new(),
                };
                let fields = self.path.iter().filter_map(|step| match step {
                    Step::Field(name) => Some(*name),
                    Step::Key(_) | Step::Index(_) => None,
                });
                let path: Vec<&str> = fields.collect();
                let name = owner.go_name.rsplit('.').next().unwrap_or_default();
                format!(
                    "json: cannot unmarshal {}{number} into Go struct field {name}.{} of type {wanted_type}",
                    found.json(),
                    path.join(".")
                )
            }
        };
        let place = if is_own || self.is_apart { &mut self.fatal } else { &mut self.problem };
        place.get_or_insert(message);
    }

    fn fail(&mut self, message: String) {
        self.fatal.get_or_insert(message);
    }
}

/// What is expected at a place: the whole object, a list of them, or a value in it.
#[derive(Clone, Copy)]
enum What<'a> {
    Struct(&'a Struct),
    List(&'a Struct),
    Shape(&'a Shape),
}

/// Reads one value.
struct Reader<'n, 't> {
    notes: &'n mut Notes<'t>,
    what: What<'t>,
    /// The struct that the value is in.
    owner: &'t Struct,
}

impl<'t> Reader<'_, 't> {
    fn shape(&self) -> &'t Shape {
        match self.what {
            What::Struct(_) | What::List(_) => &Shape::Any,
            What::Shape(shape) => shape,
        }
    }

    /// The value of a wrong type becomes null, which is dropped.
    fn wrong(self, found: &Found) -> Value {
        let shape = self.shape();
        match shape {
            Shape::SchemaOr(Instead::Bool) => {
                self.notes.fail("boolean or JSON schema expected".to_owned());
                return Value::Null;
            }
            Shape::SchemaOr(_) => return Value::Null,
            _ => {}
        }
        self.notes.wrong(found, shape, self.owner);
        Value::Null
    }

    /// A reader for a value inside this one.
    fn inner<'b>(&'b mut self, step: Step<'t>, shape: &'t Shape, owner: &'t Struct) -> Reader<'b, 't> {
        self.notes.path.push(step);
        let what = match self.what {
            What::List(of) => What::Struct(of),
            What::Struct(_) | What::Shape(_) => What::Shape(shape),
        };
        Reader { notes: self.notes, what, owner }
    }

    fn read_struct<'de, A: MapAccess<'de>>(mut self, of: &'t Struct, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let Some((known, field)) = of.fields.get_key_value(&name) else {
                self.notes.note("unknown", &name);
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen.contains(&known.as_str()) {
                self.notes.note("duplicate", known);
            } else {
                seen.push(known);
            }
            let reader = self.inner(Step::Field(known), &field.shape, of);
            let value = map.next_value_seed(reader)?;
            self.notes.path.pop();
            let is_empty = match &value {
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                _ => false,
            };
            // An empty list of managers asks to forget those that there are.
            let is_reset =
                known == "managedFields" && matches!(self.notes.path[..], [Step::Field("metadata")]);
            if is_empty && field.omits_empty && !is_reset || field.omits_zero && is_zero(&value) {
                object.remove(&name);
            } else if !value.is_null() {
                object.insert(name, value);
            }
        }
        for (name, value) in &of.always {
            if !object.contains_key(name) {
                object.insert(name.clone(), value.clone());
            }
        }
        Ok(Value::Object(object))
    }

    /// A JSON schema where it may also be something else.
    fn read_schema<'de, A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        let Self { notes, owner, .. } = self;
        let was_apart = std::mem::replace(&mut notes.is_apart, true);
        let what = What::Shape(&JSON_SCHEMA);
        let read = Reader { notes: &mut *notes, what, owner }.visit_map(map);
        notes.is_apart = was_apart;
        read
    }

    /// A map with values of one type. With `notices`, keys that occur twice are noted.
    fn read_map<'de, A: MapAccess<'de>>(
        mut self,
        values: &'t Shape,
        notices: bool,
        mut map: A,
    ) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if notices && object.contains_key(&key) {
                self.notes.note("duplicate", &key);
            }
            let owner = self.owner;
            let reader = self.inner(Step::Key(key.clone()), values, owner);
            let value = map.next_value_seed(reader)?;
            self.notes.path.pop();
            object.insert(key, or_zero(value, values));
        }
        Ok(Value::Object(object))
    }
}

/// Go's zero value of a type in place of a null.
fn or_zero(value: Value, shape: &Shape) -> Value {
    match shape {
        _ if !value.is_null() => value,
        Shape::String | Shape::Bytes => "".into(),
        Shape::Bool => false.into(),
        Shape::Int32 | Shape::Int64 | Shape::Float | Shape::IntOrString => 0.into(),
        Shape::Quantity => "0".into(),
        Shape::Struct(lazy) => Value::Object(lazy.get().always.clone()),
        Shape::Map(_) | Shape::List(_) | Shape::Time | Shape::MicroTime => Value::Null,
        Shape::Any | Shape::Free | Shape::SchemaOr(_) => Value::Null,
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(match self.shape() {
            Shape::Bool | Shape::Any | Shape::Free | Shape::SchemaOr(Instead::Bool) => value.into(),
            Shape::Quantity => self.quantity("true"),
            _ => self.wrong(&Found::Bool),
        })
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        let is_small = i32::try_from(value).is_ok();
        Ok(match self.shape() {
            Shape::Int32 | Shape::IntOrString if is_small => value.into(),
            Shape::Int64 | Shape::Float | Shape::Any | Shape::Free => value.into(),
            Shape::Quantity => self.quantity(&value.to_string()),
            _ => self.wrong(&Found::Integer(value.to_string())),
        })
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => Ok(match self.shape() {
                Shape::Float | Shape::Any | Shape::Free => value.into(),
                Shape::Quantity => self.quantity(&value.to_string()),
                _ => self.wrong(&Found::Integer(value.to_string())),
            }),
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).map_or(Value::Null, Value::Number);
        Ok(match self.shape() {
            Shape::Float | Shape::Any | Shape::Free => number,
            Shape::Quantity => self.quantity(&number.to_string()),
            _ => self.wrong(&Found::Float(number.to_string())),
        })
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        let checked = match self.shape() {
            Shape::String | Shape::IntOrString | Shape::Any | Shape::Free => Ok(value.to_owned()),
            Shape::Quantity => quantity::canonical(value),
            Shape::Time | Shape::MicroTime if value.is_empty() => return Ok(Value::Null),
            Shape::Time => scalar::time(value, false),
            Shape::MicroTime => scalar::time(value, true),
            Shape::Bytes => match scalar::base64(value) {
                Ok(()) => Ok(value.to_owned()),
                Err(problem) => {
                    self.notes.problem.get_or_insert(problem);
                    return Ok(Value::Null);
                }
            },
            _ => return Ok(self.wrong(&Found::String)),
        };
        Ok(match checked {
            Ok(text) => text.into(),
            Err(problem) => {
                self.notes.fail(problem);
                Value::Null
            }
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Value, A::Error> {
        let items = match self.shape() {
            Shape::List(items) => items,
            Shape::Any => &Shape::Any,
            Shape::Free => &Shape::Free,
            Shape::SchemaOr(Instead::Schemas) => &JSON_SCHEMA,
            Shape::SchemaOr(Instead::Texts) => &Shape::String,
            Shape::Quantity => {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(self.quantity("[]"));
            }
            _ => {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(self.wrong(&Found::List));
            }
        };
        let owner = self.owner;
        let was_apart = self.notes.is_apart;
        let is_instead = matches!(self.shape(), Shape::SchemaOr(_));
        self.notes.is_apart |= is_instead;
        let mut read = Vec::new();
        while let Some(item) = list.next_element_seed(self.inner(Step::Index(read.len()), items, owner))? {
            self.notes.path.pop();
            read.push(or_zero(item, items));
        }
        self.notes.path.pop();
        self.notes.is_apart = was_apart;
        Ok(if is_instead && read.is_empty() { Value::Null } else { Value::Array(read) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        match self.what {
            What::Struct(of) => self.read_struct(of, map),
            What::Shape(Shape::Struct(lazy)) => self.read_struct(lazy.get(), map),
            What::Shape(Shape::SchemaOr(_)) => self.read_schema(map),
            What::Shape(Shape::Map(values)) => self.read_map(values, true, map),
            What::Shape(Shape::Free) => self.read_map(&Shape::Free, true, map),
            What::List(_) | What::Shape(Shape::Any) => self.read_map(&Shape::Any, false, map),
            What::Shape(other) => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(match other {
                    Shape::Quantity => self.quantity("{}"),
                    _ => self.wrong(&Found::Map),
                })
            }
        }
    }
}

impl Reader<'_, '_> {
    /// Quantities are parsed from the text of any value.
    fn quantity(self, text: &str) -> Value {
        match quantity::canonical(text) {
            Ok(canonical) => canonical.into(),
            Err(problem) => {
                self.notes.fail(problem);
                Value::Null
            }
        }
    }
}

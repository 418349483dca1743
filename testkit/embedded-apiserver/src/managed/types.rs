//! Types, as far as the ownership of fields depends on them: which lists are maps or sets, what is owned as a whole.

use std::collections::HashMap;

use serde_json::Value;

use super::builtin;
use super::element::Element;

/// What a value may be: of each sort at most one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definition {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<List>,
    pub(crate) map: Option<Map>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Numeric,
    String,
    Boolean,
    Untyped,
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) items: Reference,
    /// Owned as a whole. Otherwise it is a map, or a set if it has no keys.
    pub(crate) atomic: bool,
    pub(crate) keys: Vec<String>,
}

/// A struct or a map.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub(crate) fields: HashMap<String, Field>,
    /// The type of what is not among the fields; `Nothing` if that is not allowed.
    pub(crate) values: Reference,
    pub(crate) atomic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) of: Reference,
    pub(crate) default: Option<Value>,
}

#[derive(Clone, Debug)]
pub(crate) enum Reference {
    Nothing,
    Inline(Box<Definition>),
    Named {
        name: String,
        /// Says otherwise than the type itself.
        atomic: Option<bool>,
    },
}

/// The type that is deduced from a value: maps are granular, lists are owned as a whole.
pub(crate) const DEDUCED: &str = "__untyped_deduced_";
/// Whatever it is, it is owned as a whole.
pub(crate) const UNTYPED: &str = "__untyped_atomic_";

impl Reference {
    pub(crate) fn named(name: &str) -> Self {
        Self::Named { name: name.to_owned(), atomic: None }
    }
}

/// Types by name. Those of built-in kinds need not be among them.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) types: HashMap<String, Definition>,
}

impl Schema {
    pub(crate) fn of<'s>(&'s self, of: &'s Reference) -> Type<'s> {
        Type { schema: self, of }
    }

    fn named(&self, name: &str) -> Option<&Definition> {
        self.types.get(name).or_else(|| builtin::named(name))
    }
}

/// A type and where the types are that it refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type<'s> {
    schema: &'s Schema,
    of: &'s Reference,
}

/// A type with what it refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom<'s> {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<ListType<'s>>,
    pub(crate) map: Option<MapType<'s>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ListType<'s> {
    schema: &'s Schema,
    list: &'s List,
    pub(crate) atomic: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MapType<'s> {
    schema: &'s Schema,
    map: &'s Map,
    pub(crate) atomic: bool,
}

/// What a value is taken for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sort<'s> {
    Scalar(Scalar),
    List(ListType<'s>),
    Map(MapType<'s>),
}

impl<'s> Type<'s> {
    pub(crate) fn resolve(self) -> Result<Atom<'s>, String> {
        let unknown = |name: &str| format!("schema error: no type found matching: {name}");
        let (definition, atomic) = match self.of {
            Reference::Nothing => return Ok(Atom { scalar: None, list: None, map: None }),
            Reference::Inline(definition) => (&**definition, None),
            Reference::Named { name, atomic } => {
                (self.schema.named(name).ok_or_else(|| unknown(name))?, *atomic)
            }
        };
        let schema = self.schema;
        let Definition { scalar, list, map } = definition;
        Ok(Atom {
            scalar: *scalar,
            // The override is about maps first.
            list: list.as_ref().map(|list| {
                let atomic = atomic.filter(|_| map.is_none()).unwrap_or(list.atomic);
                ListType { schema, list, atomic }
            }),
            map: map.as_ref().map(|map| MapType { schema, map, atomic: atomic.unwrap_or(map.atomic) }),
        })
    }
}

impl<'s> Atom<'s> {
    /// Only what a value can be, if it can be one of these; all of it for null and for what does not fit.
    pub(crate) fn deduced(self, value: Option<&Value>) -> Self {
        let none = Self { scalar: None, list: None, map: None };
        match value {
            Some(Value::Array(_)) if self.list.is_some() => Self { list: self.list, ..none },
            Some(Value::Object(_)) if self.map.is_some() => Self { map: self.map, ..none },
            Some(Value::Number(_) | Value::String(_) | Value::Bool(_)) if self.scalar.is_some() => {
                Self { scalar: self.scalar, ..none }
            }
            _ => self,
        }
    }

    /// Whether both are deduced alike, given that they are of one type.
    pub(crate) fn is_like(self, other: Self) -> bool {
        let sorts = |atom: Self| (atom.scalar.is_some(), atom.list.is_some(), atom.map.is_some());
        sorts(self) == sorts(other)
    }

    pub(crate) fn sort(self) -> Result<Sort<'s>, String> {
        match self {
            Self { map: Some(map), .. } => Ok(Sort::Map(map)),
            Self { scalar: Some(scalar), .. } => Ok(Sort::Scalar(scalar)),
            Self { list: Some(list), .. } => Ok(Sort::List(list)),
            Self { scalar: None, list: None, map: None } => {
                Err("schema error: invalid atom: inlined".to_owned())
            }
        }
    }
}

impl<'s> MapType<'s> {
    pub(crate) fn declares(self, name: &str) -> bool {
        self.map.fields.contains_key(name)
    }

    /// The type of a field or value.
    pub(crate) fn field(self, name: &str) -> Type<'s> {
        let of = self.map.fields.get(name).map_or(&self.map.values, |field| &field.of);
        self.schema.of(of)
    }

    /// Whether the type says something of a field or value of that name.
    pub(crate) fn knows(self, name: &str) -> bool {
        self.declares(name) || !matches!(self.map.values, Reference::Nothing)
    }

    /// Has no fields, and values of which nothing is known.
    pub(crate) fn is_deduced(self) -> bool {
        let untyped = match &self.map.values {
            Reference::Named { name, .. } => name == DEDUCED,
            Reference::Inline(definition) => definition.scalar == Some(Scalar::Untyped),
            Reference::Nothing => false,
        };
        untyped && self.map.fields.is_empty()
    }
}

impl<'s> ListType<'s> {
    pub(crate) fn items(self) -> Type<'s> {
        self.schema.of(&self.list.items)
    }

    /// The items of a map or set with their names.
    pub(super) fn named(self, items: &[Value]) -> Result<Vec<(Element, &Value)>, String> {
        let named = items.iter().enumerate().map(|(number, item)| {
            let element = self.element(item).map_err(|problem| format!("element {number}: {problem}"))?;
            Ok((element, item))
        });
        named.collect()
    }

    /// How an item of a map or set is named.
    pub(crate) fn element(self, item: &Value) -> Result<Element, String> {
        if self.atomic {
            return Err("invalid indexing of non-associative list".to_owned());
        }
        let keys = &self.list.keys;
        if keys.is_empty() {
            return match item {
                Value::Object(_) => {
                    Err("associative list without keys has an element that's a map type".to_owned())
                }
                Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
                Value::Null => {
                    Err("associative list without keys has an element that's an explicit null".to_owned())
                }
                _ => Ok(Element::Value(item.clone())),
            };
        }
        let map = match item {
            Value::Object(map) => map,
            Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
            _ => return Err("associative list with keys may not have non-map elements".to_owned()),
        };
        let mut named = Vec::new();
        for key in keys {
            // An item without a key is another one than those that have it.
            let value = match map.get(key) {
                Some(value) => Some(value),
                None => self
                    .default_of(key)
                    .map_err(|problem| format!("couldn't find default value for {key}: {problem}"))?,
            };
            named.extend(value.map(|value| (key.clone(), value.clone())));
        }
        if named.is_empty() {
            let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have default \
                 values for any key fields)",
                keys.join(" ")
            ));
        }
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Element::Key(named))
    }

    fn default_of(self, key: &str) -> Result<Option<&'s Value>, String> {
        let atom = self.items().resolve().map_err(|_| "invalid elementType for list".to_owned())?;
        let map = atom.map.ok_or("associative list may not have non-map types")?;
        Ok(map.map.fields.get(key).and_then(|field| field.default.as_ref()))
    }
}

/// The types that every schema has.
pub(crate) fn common(name: &str) -> Option<Definition> {
    let atomic = match name {
        DEDUCED => false,
        UNTYPED => true,
        _ => return None,
    };
    let list = List { items: Reference::named(UNTYPED), atomic: true, keys: Vec::new() };
    let map = Map { fields: HashMap::new(), values: Reference::named(name), atomic };
    Some(Definition { scalar: Some(Scalar::Untyped), list: Some(list), map: Some(map) })
}

//! The types of values in rules.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use super::super::node::{Additional, Node};

/// The type of a value in a rule.
#[derive(Clone, Debug)]
pub(super) enum Type<'n> {
    Bool,
    Int,
    Double,
    String,
    Null,
    Quantity,
    /// Texts with a format that makes them times, durations or bytes, which rules cannot use here. Or lists or maps of them.
    Special(&'n str),
    /// The name of a type.
    Name,
    /// Anything, known only when the rule is evaluated.
    Dyn,
    /// Of the items of an empty list.
    Unknown,
    List(Box<Self>, Order),
    /// With texts as keys.
    Map(Box<Self>),
    Object(&'n Node, Place),
    Optional(Box<Self>),
}

/// Whether the order of a list matters when lists are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Matters,
    /// A set or a map, which the evaluator does not know.
    Free,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A resource, which has a name whatever its schema says.
    Resource,
    Part,
}

const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

static TEXT: LazyLock<Node> = LazyLock::new(|| Node { kind: "string".to_owned(), ..Node::default() });
static METADATA: LazyLock<Node> = LazyLock::new(|| {
    let texts = ["name", "generateName"].map(|name| (name.to_owned(), TEXT.clone()));
    Node { kind: "object".to_owned(), properties: BTreeMap::from(texts), ..Node::default() }
});

/// A field of an object that rules can see.
pub(super) fn field<'n>(node: &'n Node, place: Place, name: &str) -> Option<&'n Node> {
    match name {
        "kind" | "apiVersion" if place == Place::Resource => Some(&TEXT),
        "metadata" if place == Place::Resource => Some(&METADATA),
        _ => node.properties.get(name),
    }
}

/// All fields of an object that rules can see, with their names in rules.
pub(super) fn fields(node: &Node, place: Place) -> impl Iterator<Item = (String, &str, &Node)> {
    let own = node.properties.keys().map(String::as_str);
    let given = ["apiVersion", "kind", "metadata"].into_iter();
    let given = given.filter(move |name| place == Place::Resource && !node.properties.contains_key(*name));
    let seen = own.chain(given).filter_map(move |name| Some((name, field(node, place, name)?)));
    seen.flat_map(|(name, field)| names(name).map(move |escaped| (escaped, name, field)))
}

/// The names of a field in rules. A reserved word may be written as it is, but for those that are values and operators.
fn names(name: &str) -> impl Iterator<Item = String> {
    let is_plain = RESERVED.contains(&name) && !matches!(name, "true" | "false" | "null" | "in");
    escaped(name).into_iter().chain(is_plain.then(|| name.to_owned()))
}

/// The place of a value with that schema.
pub(super) fn place(node: &Node) -> Place {
    if node.embedded { Place::Resource } else { Place::Part }
}

/// The name of a field in rules; `None` if they cannot name it.
pub(super) fn escaped(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-./_".contains(c)) {
        return None;
    }
    let name = name.replace("__", "\0");
    let name = name.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__");
    Some(name.replace('\0', "__underscores__"))
}

impl<'n> Type<'n> {
    /// The type of the values of a schema; `None` if rules cannot see them.
    pub(super) fn of(node: &'n Node, place: Place) -> Option<Self> {
        if node.int_or_string {
            return Some(Self::Dyn);
        }
        let inner = |node: &'n Node| Self::of(node, self::place(node));
        Some(match &*node.kind {
            "array" => {
                let is_free = matches!(node.list_type.as_deref(), Some("set" | "map"));
                match inner(node.item()?)? {
                    special @ Self::Special(_) => special,
                    item if is_free => Self::List(Box::new(item), Order::Free),
                    item => Self::List(Box::new(item), Order::Matters),
                }
            }
            "object" => match &node.additional_properties {
                Some(Additional::Schema(values)) => match inner(values)? {
                    special @ Self::Special(_) => special,
                    values => Self::Map(Box::new(values)),
                },
                Some(Additional::Allowed(_)) | None => Self::Object(node, place),
            },
            "string" if matches!(&*node.format, "byte" | "date" | "date-time" | "duration") => {
                Self::Special(&node.format)
            }
            "string" => Self::String,
            "boolean" => Self::Bool,
            "number" => Self::Double,
            "integer" => Self::Int,
            _ => return None,
        })
    }

    /// Whether a value of one type can be where the other is expected.
    pub(super) fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dyn | Self::Unknown, _) | (_, Self::Dyn | Self::Unknown) => true,
            (Self::List(one, _), Self::List(other, _)) => one.fits(other),
            (Self::Map(one), Self::Map(other)) | (Self::Optional(one), Self::Optional(other)) => {
                one.fits(other)
            }
            (Self::Object(one, _), Self::Object(other, _)) => std::ptr::eq(*one, *other),
            (Self::Null, Self::Object(..) | Self::Quantity) => true,
            (Self::Object(..) | Self::Quantity, Self::Null) => true,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }

    /// The more specific of two types that fit.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown | Self::Null, other) | (other, Self::Unknown | Self::Null) => other,
            (Self::Dyn, _) | (_, Self::Dyn) => Self::Dyn,
            (Self::List(one, order), Self::List(other, _)) => Self::List(Box::new(one.join(*other)), order),
            (Self::Map(one), Self::Map(other)) => Self::Map(Box::new(one.join(*other))),
            (one, _) => one,
        }
    }

    /// Whether it has what the evaluator would compare wrongly: lists whose order does not matter, times, or what the schema
    /// does not know.
    pub(super) fn is_free(&self) -> bool {
        match self {
            Self::List(item, order) => *order == Order::Free || item.is_free(),
            Self::Map(values) | Self::Optional(values) => values.is_free(),
            Self::Object(node, place) => {
                let is_free =
                    |field: &Node| Type::of(field, self::place(field)).is_none_or(|of| of.is_free());
                node.preserves() || fields(node, *place).any(|(_, _, field)| is_free(field))
            }
            Self::Special(_) => true,
            _ => false,
        }
    }
}

/// As the real server prints it, but for objects: they have names there that change.
impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Double => "double",
            Self::String => "string",
            Self::Null => "null",
            Self::Quantity => "kubernetes.Quantity",
            Self::Special(format) => format,
            Self::Name => "type",
            Self::Dyn | Self::Unknown => "dyn",
            Self::List(item, _) => return write!(f, "list({item})"),
            Self::Map(values) => return write!(f, "map(string, {values})"),
            Self::Optional(inner) => return write!(f, "optional_type({inner})"),
            Self::Object(..) => "object",
        })
    }
}

//! JSONPath templates in kubectl's dialect, as in `{range .items[*]}{.metadata.name}{"\n"}{end}`.
//!
//! | syntax | means |
//! |---|---|
//! | text outside of braces, `{"\t"}` | itself |
//! | `{.a.b}`, `{$.a}`, `{@.a}` | a field of the current object, which is the whole document or the element of a range |
//! | `.a\.b`, `['a.b']` | a field with a dot in its name |
//! | `[0]`, `[-1]`, `[1:3]`, `[::2]`, `[*]`, `.*` | elements |
//! | `[0,2]`, `['a','b']` | several |
//! | `..a` | the field at any depth |
//! | `[?(@.a=="b")]` | elements for which it holds: `==`, `!=`, `<`, `<=`, `>`, `>=`, or only `@.a` for those that have it |
//! | `{range …}…{end}` | the part in between for each result |
//!
//! What is missing is nothing, and no error. A list that has no such index is one, and so is a comparison of a number with a text.

mod find;
mod parse;
mod print;

use serde_json::Value;

pub(crate) use print::go_text;

/// Text with paths in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template(Vec<Piece>);

/// What a path leads to, such as `.spec.containers[*].image`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Path(Path),
    /// The pieces are for each result of the path.
    Range(Path, Vec<Self>),
}

/// From values to values.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    /// All members of an object, all elements of a list.
    Wildcard,
    /// The values themselves and all that is in them.
    Descend,
    Slice(Slice),
    Filter(Filter),
    /// The results of each, one after the other.
    Union(Vec<Self>),
}

/// Elements of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slice {
    /// One; negative from the end.
    At(i64),
    /// Some, with a step.
    From(Option<i64>, Option<i64>, usize),
}

#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Operand,
    /// Without a comparison the left side has to exist.
    compared: Option<(Comparison, Operand)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Path(Path),
    Literal(Value),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[cfg(test)]
mod tests;

//! A JSON document as a tree that knows where in the text each value stands, so that single values can be replaced and all
//! else stays as the server wrote it.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

/// Documents of more levels are not looked through.
const DEEPEST: usize = 256;

/// A value and its place in the text.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) place: Range<usize>,
    pub(super) value: Value<'a>,
}

#[derive(Debug)]
pub(super) enum Value<'a> {
    Object(Vec<Member<'a>>),
    Array(Vec<Node<'a>>),
    /// What it means, not how it is written.
    String(Cow<'a, str>),
    /// As it is written.
    Number(&'a str),
    Bool,
    Null,
}

#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) node: Node<'a>,
}

impl<'a> Node<'a> {
    /// `None` if the text is not one JSON document, or one that is too deep.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        // What follows can rely on it that this is JSON.
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        let mut parser = Parser { text, at: 0 };
        parser.value(0)
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn members(&self) -> &[Member<'a>] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// All members of a name: nothing forbids that there are several.
    pub(super) fn each<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Self> + 's {
        self.members().iter().filter(move |member| member.name == name).map(|member| &member.node)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        Some(self.text.as_bytes()[self.at])
    }

    fn value(&mut self, depth: usize) -> Option<Node<'a>> {
        if depth > DEEPEST {
            return None;
        }
        let first = self.peek()?;
        let start = self.at;
        let value = match first {
            b'{' => Value::Object(self.list(b'}', |parser| {
                let name = parser.string()?;
                parser.peek().filter(|byte| *byte == b':')?;
                parser.at += 1;
                Some(Member { name, node: parser.value(depth + 1)? })
            })?),
            b'[' => Value::Array(self.list(b']', |parser| parser.value(depth + 1))?),
            b'"' => Value::String(self.string()?),
            _ => {
                let rest = &self.text.as_bytes()[start..];
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                match first {
                    b'n' => Value::Null,
                    b't' | b'f' => Value::Bool,
                    _ => Value::Number(self.text.get(start..self.at)?),
                }
            }
        };
        Some(Node { place: start..self.at, value })
    }

    /// What stands between brackets, separated by commas.
    fn list<T>(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        let mut list = Vec::new();
        loop {
            match self.peek()? {
                byte if byte == end => {
                    self.at += 1;
                    return Some(list);
                }
                b',' => self.at += 1,
                _ => list.push(one(self)?),
            }
        }
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.peek().filter(|byte| *byte == b'"')?;
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
            if bytes[end] == b'"' {
                break;
            }
            end += 2;
        }
        self.at = end + 1;
        let inner = self.text.get(start..end)?;
        if inner.contains('\\') {
            serde_json::from_str::<String>(self.text.get(start - 1..=end)?).ok().map(Cow::Owned)
        } else {
            Some(inner.into())
        }
    }
}

//! Sets of fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::element::Element;
use super::types::Type;

/// A set of paths, as a tree. That a path is in the set says nothing about the paths that it begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    members: BTreeSet<Element>,
    /// None of them is empty.
    children: BTreeMap<Element, Self>,
}

impl Set {
    /// The set of these paths, each written as names of fields with dots between them.
    pub(crate) fn of_fields(paths: &[&str]) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(&path.split('.').map(Element::field).collect::<Vec<_>>());
        }
        set
    }

    /// Nobody owns an object as a whole: the empty path is not inserted.
    pub(crate) fn insert(&mut self, path: &[Element]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => self.children.entry(first.clone()).or_default().insert(rest),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.is_empty()
    }

    pub(crate) fn has(&self, path: &[Element]) -> bool {
        match path {
            [] => false,
            [last] => self.members.contains(last),
            [first, rest @ ..] => self.children.get(first).is_some_and(|child| child.has(rest)),
        }
    }

    pub(crate) fn has_member(&self, element: &Element) -> bool {
        self.members.contains(element)
    }

    /// What is in the set below an element.
    pub(crate) fn below(&self, element: &Element) -> Option<&Self> {
        self.children.get(element)
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &Element> {
        self.members.iter()
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = (&Element, &Self)> {
        self.children.iter()
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.add(other);
        union
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.members.extend(other.members.iter().cloned());
        for (element, child) in &other.children {
            self.children.entry(element.clone()).or_default().add(child);
        }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let children = self.children.iter().filter_map(|(element, child)| {
            Some((element.clone(), child.intersection(other.children.get(element)?)))
        });
        Self {
            members: self.members.intersection(&other.members).cloned().collect(),
            children: children.filter(|(_, child)| !child.is_empty()).collect(),
        }
    }

    pub(crate) fn difference(&self, other: &Self) -> Self {
        let children = self.children.iter().map(|(element, child)| {
            let left =
                other.children.get(element).map_or_else(|| child.clone(), |other| child.difference(other));
            (element.clone(), left)
        });
        Self {
            members: self.members.difference(&other.members).cloned().collect(),
            children: children.filter(|(_, child)| !child.is_empty()).collect(),
        }
    }

    /// The difference without anything below the paths of the other set.
    pub(crate) fn recursive_difference(&self, other: &Self) -> Self {
        let kept = self.children.iter().filter(|(element, _)| !other.members.contains(element));
        let children = kept.map(|(element, child)| {
            let inner = other.children.get(element);
            (element.clone(), inner.map_or_else(|| child.clone(), |inner| child.recursive_difference(inner)))
        });
        Self {
            members: self.members.difference(&other.members).cloned().collect(),
            children: children.filter(|(_, child)| !child.is_empty()).collect(),
        }
    }

    /// With every declared field on the way to a path. Otherwise a struct whose fields are all given up would stay, empty.
    pub(crate) fn with_named_fields(&self, of: Option<Type<'_>>) -> Self {
        let atom = of.and_then(|of| of.resolve().ok());
        let (map, list) = atom.map_or((None, None), |atom| (atom.map, atom.list));
        let mut members = self.members.clone();
        let mut children = BTreeMap::new();
        for (element, child) in &self.children {
            let inner = match (element, map, list) {
                (Element::Field(name), Some(map), _) => {
                    if map.declares(name) {
                        members.insert(element.clone());
                    }
                    Some(map.field(name))
                }
                (Element::Key(_), _, Some(list)) => Some(list.items()),
                _ => None,
            };
            children.insert(element.clone(), child.with_named_fields(inner));
        }
        Self { members, children }
    }

    /// All paths in order, those that end on a level before those that go on.
    pub(crate) fn paths(&self) -> Vec<Vec<Element>> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect(&self, prefix: &mut Vec<Element>, paths: &mut Vec<Vec<Element>>) {
        for element in &self.members {
            let mut path = prefix.clone();
            path.push(element.clone());
            paths.push(path);
        }
        for (element, child) in &self.children {
            prefix.push(element.clone());
            child.collect(prefix, paths);
            prefix.pop();
        }
    }

    /// As `fieldsV1` has it.
    pub(crate) fn encoded(&self) -> Value {
        self.encoded_map(false).into()
    }

    fn encoded_map(&self, is_member: bool) -> Map<String, Value> {
        let mut map = Map::new();
        if is_member && !self.is_empty() {
            map.insert(".".to_owned(), Map::new().into());
        }
        let elements: BTreeSet<&Element> = self.members.iter().chain(self.children.keys()).collect();
        for element in elements {
            let inner = match self.children.get(element) {
                Some(child) => child.encoded_map(self.members.contains(element)),
                None => Map::new(),
            };
            map.insert(element.encoded(), inner.into());
        }
        map
    }

    /// Reads `fieldsV1`.
    pub(crate) fn parse(fields: &Value) -> Result<Self, String> {
        match fields {
            Value::Object(map) => Ok(Self::parse_map(map)?.0),
            Value::Null => Ok(Self::default()),
            _ => Err("ReadMapCB: expect { or n".to_owned()),
        }
    }

    /// The set, and whether the path to it is in the set itself.
    fn parse_map(map: &Map<String, Value>) -> Result<(Self, bool), String> {
        let mut set = Self::default();
        let mut is_member = false;
        for (name, inner) in map {
            if name == "." {
                is_member = true;
                continue;
            }
            let Some(element) = Element::parse(name)? else { continue };
            let empty = Map::new();
            let (child, child_is_member) = match inner {
                Value::Object(inner) => Self::parse_map(inner)?,
                Value::Null => Self::parse_map(&empty)?,
                _ => return Err("ReadMapCB: expect { or n".to_owned()),
            };
            if child_is_member {
                set.members.insert(element.clone());
            }
            if !child.is_empty() {
                set.children.insert(element, child);
            }
        }
        let is_member = is_member || set.is_empty();
        Ok((set, is_member))
    }
}

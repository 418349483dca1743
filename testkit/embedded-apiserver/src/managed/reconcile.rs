//! Field sets that were made before the type of the object changed: what became atomic is owned as a whole.

use super::element::Element;
use super::set::Set;
use super::types::{Sort, Type};

pub(crate) fn reconcile(set: &Set, of: Type<'_>) -> Result<Set, String> {
    let mut walk = Walk { atomic: Set::default(), path: Vec::new() };
    walk.node(Some(set), false, of)?;
    Ok(if walk.atomic.is_empty() {
        set.clone()
    } else {
        set.recursive_difference(&walk.atomic).union(&walk.atomic)
    })
}

struct Walk {
    /// What was granular and is no longer.
    atomic: Set,
    path: Vec<Element>,
}

impl Walk {
    /// `owned` is whether the set has the path to the node, and nothing below it.
    fn node(&mut self, set: Option<&Set>, owned: bool, of: Type<'_>) -> Result<(), String> {
        match of.resolve()?.sort()? {
            Sort::Scalar(_) => Ok(()),
            Sort::List(list) if !owned && list.atomic => {
                self.atomic.insert(&self.path);
                Ok(())
            }
            Sort::Map(map) if map.is_deduced() => Ok(()),
            Sort::Map(map) if !owned && map.atomic => {
                if set.is_some_and(|set| !set.is_empty()) {
                    self.atomic.insert(&self.path);
                }
                Ok(())
            }
            Sort::List(list) => self.inner(set, |_| Some(list.items())),
            Sort::Map(map) => self.inner(set, |element| match element {
                Element::Field(name) => map.knows(name).then(|| map.field(name)),
                // Not the way into a map.
                _ => map.knows("").then(|| map.field("")),
            }),
        }
    }

    fn inner<'s>(
        &mut self,
        set: Option<&Set>,
        of: impl Fn(&Element) -> Option<Type<'s>>,
    ) -> Result<(), String> {
        let Some(set) = set else { return Ok(()) };
        let below = set.children().map(|(element, _)| element).filter(|element| !set.has_member(element));
        for element in below.chain(set.members()) {
            let Some(of) = of(element) else { continue };
            let child = set.below(element);
            self.path.push(element.clone());
            self.node(child, set.has_member(element) && child.is_none(), of)?;
            self.path.pop();
        }
        Ok(())
    }
}

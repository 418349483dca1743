//! Reading the values at a path from the JSON of an object, without decoding the rest.
//!
//! serde_json walks here, not [`json::find`](informer_wire::json::find): when a value is not of the wanted type, its error names
//! the line and column within the whole object.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use informer_wire::path::Step;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::object::fields::FieldPath;

/// The values that a path leads to, in the order of the document. What is not there or null is no value; a value of
/// another type is an error.
pub fn values_at<V: DeserializeOwned>(json: &[u8], path: &FieldPath) -> serde_json::Result<Vec<V>> {
    let mut found = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    Follow { steps: path.steps(), found: &mut found, of: PhantomData }.deserialize(&mut deserializer)?;
    Ok(found)
}

/// Goes along the steps and collects what is at their end.
struct Follow<'a, V> {
    steps: &'a [Step],
    found: &'a mut Vec<V>,
    of: PhantomData<V>,
}

impl<'a, V> Follow<'a, V> {
    fn on<'b>(&'b mut self, steps: &'a [Step]) -> Follow<'b, V>
    where
        'a: 'b,
    {
        Follow { steps, found: self.found, of: PhantomData }
    }
}

impl<'de, V: DeserializeOwned> DeserializeSeed<'de> for Follow<'_, V> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.steps.is_empty() {
            self.found.extend(Option::<V>::deserialize(deserializer)?);
            return Ok(());
        }
        deserializer.deserialize_any(self)
    }
}

/// Where a path does not go on, there is nothing to be found.
macro_rules! nothing_here {
    ($($visit:ident($($value:ty)?)),*) => {
        $(fn $visit<E>(self $(, _: $value)?) -> Result<(), E> { Ok(()) })*
    };
}

impl<'de, V: DeserializeOwned> Visitor<'de> for Follow<'_, V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    nothing_here! { visit_unit(), visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str) }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match self.steps {
                [Step::Name(name), rest @ ..] if key == *name => map.next_value_seed(self.on(rest))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        match self.steps {
            [Step::Each, rest @ ..] => while list.next_element_seed(self.on(rest))?.is_some() {},
            _ => while list.next_element::<IgnoredAny>()?.is_some() {},
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

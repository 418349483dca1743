//! Reads documents into types.
//!
//! [`view`] is for types that name only some members: what they do not ask for is stepped over, which is quicker than
//! parsing it. Only objects that become structs are walked through here; every value that is wanted goes to serde_json.

use std::borrow::Cow;

use serde::de::value::CowStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use super::members::Members;
use super::skip::skip_value;
use super::string::decode_string;
use super::value::skip_space;

/// Reads a whole document. Objects in the cache are UTF-8, and checking that once is quicker than for every string.
pub fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, Error> {
    match std::str::from_utf8(json) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(json),
    }
}

/// Reads the part of a document that the type names. The document was checked when it came to the cache.
pub fn view<V: DeserializeOwned>(json: &[u8]) -> Result<V, Error> {
    let mut value = ValueReader { json, at: skip_space(json, 0), depth: 0 };
    match V::deserialize(&mut value) {
        Ok(found) if skip_space(json, value.at) == json.len() => Ok(found),
        // serde_json says what is wrong, and where.
        _ => read(json),
    }
}

/// So many structs within each other are walked through here, as many as serde_json parses: a type that contains itself could
/// otherwise be sent a document that fills the stack.
const DEEPEST: u8 = 127;

/// The value that begins here. Reading it moves on to its end.
struct ValueReader<'de> {
    json: &'de [u8],
    at: usize,
    /// How many structs it is within.
    depth: u8,
}

impl<'de> ValueReader<'de> {
    fn broken() -> Error {
        Error::custom("not JSON")
    }

    /// Steps over the value and gives it.
    fn take(&mut self) -> Result<&'de [u8], Error> {
        let start = self.at;
        self.at = skip_value(self.json, start).ok_or_else(Self::broken)?;
        Ok(self.json.get(start..self.at).unwrap_or_default())
    }

    fn parse<T>(
        &mut self,
        parse: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::SliceRead<'de>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        parse(&mut serde_json::Deserializer::from_slice(self.take()?))
    }
}

impl<'de> Deserializer<'de> for &mut ValueReader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.parse(|value| value.deserialize_any(visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.take()?;
        visitor.visit_unit()
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Some(members) = Members::of_object(self.json, self.at) else {
            return self.parse(|value| value.deserialize_struct(name, fields, visitor));
        };
        if self.depth == DEEPEST {
            return Err(ValueReader::broken());
        }
        let mut fields = StructFields { json: self.json, members, depth: self.depth + 1 };
        let found = visitor.visit_map(&mut fields)?;
        self.at = fields.members.at();
        Ok(found)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.json.get(self.at) == Some(&b'n') {
            self.take()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name.starts_with("$serde_json") {
            // How serde_json's own types, such as `RawValue`, ask for what only serde_json gives.
            return self.parse(|value| value.deserialize_newtype_struct(name, visitor));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.parse(|value| value.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.parse(|value| value.deserialize_bytes(visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.parse(|value| value.deserialize_byte_buf(visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string unit unit_struct seq tuple tuple_struct map
        identifier
    }
}

/// The members of an object, on their way into a struct.
struct StructFields<'de> {
    json: &'de [u8],
    members: Members<'de>,
    depth: u8,
}

impl<'de> MapAccess<'de> for &mut StructFields<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(key) = self.members.next().ok_or_else(ValueReader::broken)? else { return Ok(None) };
        let key: Cow<'_, str> = decode_string(key).ok_or_else(ValueReader::broken)?;
        let key: CowStrDeserializer<'_, Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let mut value = ValueReader { json: self.json, at: self.members.at(), depth: self.depth };
        let found = seed.deserialize(&mut value)?;
        self.members.skip_to(value.at);
        Ok(found)
    }
}

#[cfg(test)]
mod tests;

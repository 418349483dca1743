//! The types of the built-in kinds, from the OpenAPI documents: each when it is first needed.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

use super::convert;
use super::types::{self, DEDUCED, Definition, Reference, Scalar, UNTYPED};
use crate::openapi::{self, Packed};
use crate::schema;

static TYPES: LazyLock<HashMap<&'static str, Lazy>> = LazyLock::new(|| {
    let packed = openapi::schemas().map(|packed| (packed.name, Some(packed)));
    let common = [DEDUCED, UNTYPED].map(|name| (name, None));
    packed.chain(common).map(|(name, packed)| (name, Lazy { packed, converted: OnceLock::new() })).collect()
});

/// The types of kinds, by apiVersion and kind.
static KINDS: LazyLock<HashMap<&'static str, Reference>> = LazyLock::new(|| {
    let packed = TYPES.values().filter_map(|lazy| lazy.packed).filter(|packed| !packed.kind.is_empty());
    packed.map(|packed| (packed.kind, Reference::named(packed.name))).collect()
});

struct Lazy {
    packed: Option<Packed>,
    converted: OnceLock<Definition>,
}

pub(crate) fn named(name: &str) -> Option<&'static Definition> {
    let (name, lazy) = TYPES.get_key_value(name)?;
    Some(lazy.converted.get_or_init(|| match (*name, lazy.packed) {
        ("io.k8s.apimachinery.pkg.api.resource.Quantity", _) => {
            Definition { scalar: Some(Scalar::Untyped), ..Definition::default() }
        }
        ("io.k8s.apimachinery.pkg.runtime.RawExtension", _) => types::common(UNTYPED).unwrap_or_default(),
        (_, Some(packed)) => convert::definition(&parsed(&packed), false),
        (name, None) => types::common(name).unwrap_or_default(),
    }))
}

/// The type of a built-in kind.
pub(crate) fn kind(api_version: &str, kind: &str) -> Option<&'static Reference> {
    KINDS.get(&*format!("{api_version} {kind}"))
}

/// An object of a type before anything is set in it, as Go has it. What an object has in common with it, nobody has set.
pub(crate) fn empty(name: &str) -> Value {
    schema::written(name).unwrap_or_default().always.into()
}

/// The documents are part of the program; a test parses all of them.
fn parsed(packed: &Packed) -> Value {
    serde_json::from_str(packed.json).unwrap_or_default()
}

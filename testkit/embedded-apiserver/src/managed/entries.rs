//! `metadata.managedFields`, read and written.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::set::Set;
use super::updater::{Managers, Owned};

/// The managers of an object, and when each has last changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Managed {
    pub(crate) managers: Managers,
    /// As they are written, in seconds.
    pub(crate) times: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Apply,
    Update,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// What tells managers apart. As text it is what they are sorted by: JSON, as in the real server. An applier is the same in
/// all versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    pub(crate) api_version: String,
    pub(crate) subresource: String,
}

impl Identity {
    pub(crate) fn text(&self) -> String {
        let api_version = match self.operation {
            Operation::Apply => "",
            Operation::Update => &*self.api_version,
        };
        let fields = [
            ("manager", &*self.manager),
            ("operation", self.operation.name()),
            ("apiVersion", api_version),
            ("subresource", &*self.subresource),
        ];
        let fields = fields.iter().filter(|(_, value)| !value.is_empty());
        let fields: Vec<String> =
            fields.map(|(name, value)| format!("\"{name}\":{}", Value::from(*value))).collect();
        format!("{{{}}}", fields.join(","))
    }

    pub(crate) fn parse(text: &str) -> Self {
        let fields: Value = serde_json::from_str(text).unwrap_or_default();
        let field = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
        let operation = match fields["operation"].as_str() {
            Some("Apply") => Operation::Apply,
            _ => Operation::Update,
        };
        let manager = field("manager");
        let api_version = field("apiVersion");
        let subresource = field("subresource");
        Self { manager, operation, api_version, subresource }
    }

    /// As messages about conflicts name it.
    pub(crate) fn printed(&self) -> String {
        let subresource = match &*self.subresource {
            "" => String::new(),
            subresource => format!(" with subresource {subresource:?}"),
        };
        let version = match self.operation {
            Operation::Apply => String::new(),
            Operation::Update => format!(" using {}", self.api_version),
        };
        format!("{:?}{subresource}{version}", self.manager)
    }
}

impl Managed {
    /// Reads the `managedFields` of an object.
    pub(crate) fn of(object: &Value) -> Result<Self, String> {
        let mut managed = Self::default();
        let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
        for (number, entry) in entries.enumerate() {
            let field = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
            let operation = match entry["operation"].as_str() {
                Some("Apply") => Operation::Apply,
                Some("Update") => Operation::Update,
                _ => return Err("operation must be `Apply` or `Update`".to_owned()),
            };
            let version = field("apiVersion");
            if version.is_empty() {
                return Err("apiVersion must not be empty".to_owned());
            }
            match &*field("fieldsType") {
                "FieldsV1" => {}
                "" => return Err(format!("missing fieldsType in managed fields entry {number}")),
                other => {
                    return Err(format!("invalid fieldsType {other:?} in managed fields entry {number}"));
                }
            }
            let identity = Identity {
                manager: field("manager"),
                operation,
                api_version: version.clone(),
                subresource: field("subresource"),
            };
            let set =
                Set::parse(&entry["fieldsV1"]).map_err(|problem| format!("error decoding set: {problem}"))?;
            let key = identity.text();
            if let Some(time) = entry["time"].as_str() {
                managed.times.insert(key.clone(), time.to_owned());
            }
            managed.managers.insert(key, Owned { set, version, applied: operation == Operation::Apply });
        }
        Ok(managed)
    }

    /// Writes them into an object.
    pub(crate) fn write(&self, object: &mut Value) {
        let mut entries: Vec<(Identity, &str, &Owned)> = Vec::new();
        for (key, owned) in &self.managers {
            let operation = if owned.applied { Operation::Apply } else { Operation::Update };
            let identity = Identity { operation, api_version: owned.version.clone(), ..Identity::parse(key) };
            entries.push((identity, self.times.get(key).map_or("", String::as_str), owned));
        }
        entries.sort_by(|(one, one_time, _), (other, other_time, _)| {
            let by_operation = one.operation.name().cmp(other.operation.name());
            by_operation
                .then_with(|| one_time.cmp(other_time))
                .then_with(|| one.manager.cmp(&other.manager))
                .then_with(|| one.api_version.cmp(&other.api_version))
                .then_with(|| one.subresource.cmp(&other.subresource))
        });
        let Some(object) = object.as_object_mut() else { return };
        if entries.is_empty() {
            if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
                metadata.remove("managedFields");
            }
            return;
        }
        let entries = entries.into_iter().map(|(identity, time, owned)| {
            let mut entry = json!({
                "manager": identity.manager,
                "operation": identity.operation.name(),
                "apiVersion": identity.api_version,
                "fieldsType": "FieldsV1",
                "fieldsV1": owned.set.encoded(),
            });
            for (name, value) in [("time", time), ("subresource", &*identity.subresource)] {
                if !value.is_empty() {
                    entry[name] = value.into();
                }
            }
            entry
        });
        let entries: Vec<Value> = entries.collect();
        if let Value::Object(metadata) = object.entry("metadata").or_insert_with(|| Map::new().into()) {
            metadata.insert("managedFields".to_owned(), entries.into());
        }
    }
}

/// Whether an update asks to forget all managers: an empty list, or a list of one empty entry.
pub(crate) fn is_reset(object: &Value) -> bool {
    match object["metadata"]["managedFields"].as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([Value::Object(only)]) => only.is_empty(),
        _ => false,
    }
}

/// The object without them, for comparisons.
pub(crate) fn without(object: &Value) -> Value {
    let mut object = object.clone();
    strip(&mut object);
    object
}

pub(crate) fn strip(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
}

/// Keeps the times of managers if nothing else has changed, so that a write without effect is none.
pub(crate) fn keep_times(old: &Map<String, Value>, new: &mut Map<String, Value>) {
    let (Some(Value::Object(before)), Some(Value::Object(after))) =
        (old.get("metadata"), new.get("metadata"))
    else {
        return;
    };
    let managers = (before.get("managedFields"), after.get("managedFields"));
    let (Some(Value::Array(managers)), Some(Value::Array(changed))) = managers else { return };
    let mut pairs = managers.iter().zip(changed);
    let same_managers = managers.len() == changed.len()
        && pairs.all(|(one, other)| match (one, other) {
            (Value::Object(one), Value::Object(other)) => same_but(one, other, &["time"]),
            _ => false,
        });
    if same_managers
        && same_but(before, after, &["resourceVersion", "managedFields"])
        && same_but(old, new, &["metadata"])
    {
        let managers = managers.clone();
        if let Some(Value::Object(metadata)) = new.get_mut("metadata") {
            metadata.insert("managedFields".to_owned(), managers.into());
        }
    }
}

/// Whether two objects have the same members, but for some of them.
fn same_but(one: &Map<String, Value>, other: &Map<String, Value>, but: &[&str]) -> bool {
    let mut names = one.keys().chain(other.keys()).filter(|name| !but.contains(&name.as_str()));
    names.all(|name| one.get(name) == other.get(name))
}

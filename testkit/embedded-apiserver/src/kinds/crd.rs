//! Turns CustomResourceDefinitions into resources that are served.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Field, FieldRefusal, Generation, Registry, Resource, ScalePaths, Schemas, Subresource, crd_validation,
    structural,
};
use crate::go;
use crate::request::Verb;
use crate::status::ApiError;

/// The names of a custom resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    plural: String,
    singular: String,
    short_names: Vec<String>,
    kind: String,
    list_kind: String,
    categories: Vec<String>,
}

impl Names {
    /// The names that the status of a definition says are accepted.
    pub(super) fn accepted(definition: &Value) -> Self {
        Self::read(&definition["status"]["acceptedNames"])
    }

    fn read(names: &Value) -> Self {
        let all = |value: &Value| {
            let texts = value.as_array().into_iter().flatten();
            texts.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            plural: text(&names["plural"]).to_owned(),
            singular: text(&names["singular"]).to_owned(),
            short_names: all(&names["shortNames"]),
            kind: text(&names["kind"]).to_owned(),
            list_kind: text(&names["listKind"]).to_owned(),
            categories: all(&names["categories"]),
        }
    }

    fn to_json(&self) -> Value {
        let mut names = json!({ "plural": self.plural, "kind": self.kind });
        for (key, name) in [("singular", &self.singular), ("listKind", &self.list_kind)] {
            if !name.is_empty() {
                names[key] = name.as_str().into();
            }
        }
        for (key, list) in [("shortNames", &self.short_names), ("categories", &self.categories)] {
            if !list.is_empty() {
                names[key] = json!(list);
            }
        }
        names
    }

    /// Accepts the names that no other definition has. If some are taken, the error says which; as in the real server, it
    /// is about the last of them.
    fn claim(&mut self, asked: Self, others: &[Self]) -> Result<(), (&'static str, String)> {
        let is_resource = |name: &str| {
            let short = |other: &Self| other.short_names.iter().any(|short| short == name);
            others.iter().any(|other| other.plural == name || other.singular == name || short(other))
        };
        let is_kind = |name: &str| others.iter().any(|other| other.kind == name || other.list_kind == name);
        let plural = claim_one(&mut self.plural, asked.plural, is_resource);
        let singular = claim_one(&mut self.singular, asked.singular, is_resource);
        let is_new = |short: &&String| !self.short_names.contains(short) && is_resource(short);
        let taken: Vec<String> = asked.short_names.iter().filter(is_new).map(|short| in_use(short)).collect();
        let short_names = match taken.as_slice() {
            [] => {
                self.short_names = asked.short_names;
                Ok(())
            }
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        };
        let kind = claim_one(&mut self.kind, asked.kind, is_kind);
        let list_kind = claim_one(&mut self.list_kind, asked.list_kind, is_kind);
        self.categories = asked.categories;
        for (claimed, reason) in [
            (list_kind, "ListKindConflict"),
            (kind, "KindConflict"),
            (short_names, "ShortNamesConflict"),
            (singular, "SingularConflict"),
            (plural, "PluralConflict"),
        ] {
            claimed.map_err(|message| (reason, message))?;
        }
        Ok(())
    }
}

fn claim_one(mine: &mut String, asked: String, is_taken: impl Fn(&str) -> bool) -> Result<(), String> {
    if *mine != asked && is_taken(&asked) {
        return Err(in_use(&asked));
    }
    *mine = asked;
    Ok(())
}

fn in_use(name: &str) -> String {
    format!("{name:?} is already in use")
}

/// Sets the fields that the server adds to a definition when it is written: defaults of `spec`, and in `status` the accepted
/// names, the stored versions and the conditions `NamesAccepted` and `Established`. `now` has
/// the format of `creationTimestamp`.
///
/// Fails if the definition is invalid. A definition whose names are taken is valid: its conditions say so, and
/// [`Registry::install_crd`] serves none of its resources.
pub(crate) fn accept(registry: &Registry, definition: &mut Value, now: &str) -> Result<(), ApiError> {
    fill_in_spec(definition);
    crd_validation::validate(definition)?;
    crd_validation::refuse_builtin(registry, definition)?;
    if definition["spec"]["conversion"]["strategy"] == "Webhook" {
        return Err(ApiError::not_implemented(
            "conversion by a webhook is not supported by this server: versions are served without conversion",
        ));
    }
    let schemas = versions(definition).map(|version| &version["schema"]["openAPIV3Schema"]);
    if let Some(what) = schemas.filter(|schema| schema.is_object()).find_map(structural::lacking) {
        return Err(ApiError::not_implemented(what));
    }
    let name = text(&definition["metadata"]["name"]).to_owned();
    let mut names = Names::accepted(definition);
    let asked = Names::read(&definition["spec"]["names"]);
    let claimed = names.claim(asked, &registry.names_beside(group(definition), &name));

    if !definition["status"].is_object() {
        definition["status"] = json!({});
    }
    let stored = stored_versions(definition);
    let was_established = is_established(definition);
    let status = &mut definition["status"];
    status["acceptedNames"] = names.to_json();
    status["storedVersions"] = json!(stored);
    let (is_accepted, reason, message) = match claimed {
        Ok(()) => (true, "NoConflicts", "no conflicts found".to_owned()),
        Err((reason, message)) => (false, reason, message),
    };
    set_condition(status, "NamesAccepted", is_accepted, reason, &message, now);
    if is_accepted || was_established {
        let message = "the initial names have been accepted";
        set_condition(status, "Established", true, "InitialNamesAccepted", message, now);
    } else {
        set_condition(status, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
    Ok(())
}

/// Refuses changes of fields that stored objects depend on.
pub(crate) fn check_change(old: &Value, new: &Value) -> Result<(), ApiError> {
    if !is_established(old) {
        return Ok(());
    }
    crd_validation::validate_change(old, new)
}

fn fill_in_spec(definition: &mut Value) {
    let spec = &mut definition["spec"];
    if let Some(versions) = spec.get_mut("versions") {
        go::tidy_numbers(versions);
    }
    let kind = text(&spec["names"]["kind"]).to_owned();
    if !spec["names"].is_object() || kind.is_empty() {
        return;
    }
    for (key, default) in [("singular", kind.to_lowercase()), ("listKind", format!("{kind}List"))] {
        if text(&spec["names"][key]).is_empty() {
            spec["names"][key] = default.into();
        }
    }
    if spec["conversion"].is_null() {
        spec["conversion"] = json!({ "strategy": "None" });
    }
}

/// All versions that objects have been stored in.
fn stored_versions(definition: &Value) -> Vec<String> {
    let before = definition["status"]["storedVersions"].as_array().into_iter().flatten();
    let mut stored: Vec<String> = before.filter_map(Value::as_str).map(str::to_owned).collect();
    let now = versions(definition).filter(|version| version["storage"] == true);
    stored.extend(now.map(|version| text(&version["name"]).to_owned()));
    let mut seen = Vec::new();
    stored.retain(|version| {
        !seen.contains(version) && {
            seen.push(version.clone());
            true
        }
    });
    stored
}

/// Sets the condition `Terminating`.
pub(crate) fn set_terminating(definition: &mut Value, is_true: bool, reason: &str, message: &str, now: &str) {
    set_condition(&mut definition["status"], "Terminating", is_true, reason, message, now);
}

fn set_condition(status: &mut Value, name: &str, is_true: bool, reason: &str, message: &str, now: &str) {
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(conditions) = status["conditions"].as_array_mut() else { return };
    let is_true = if is_true { "True" } else { "False" };
    let before = conditions.iter().position(|condition| condition["type"] == name);
    let since = match before.map(|index| &conditions[index]) {
        Some(condition) if condition["status"] == is_true => condition["lastTransitionTime"].clone(),
        _ => now.into(),
    };
    let condition = json!({
        "type": name, "status": is_true, "lastTransitionTime": since, "reason": reason, "message": message,
    });
    match before {
        Some(index) => conditions[index] = condition,
        None => conditions.push(condition),
    }
}

fn is_established(definition: &Value) -> bool {
    let conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .into_iter()
        .any(|condition| condition["type"] == "Established" && condition["status"] == "True")
}

pub(super) fn group(definition: &Value) -> &str {
    text(&definition["spec"]["group"])
}

pub(super) fn versions(definition: &Value) -> impl Iterator<Item = &Value> {
    definition["spec"]["versions"].as_array().into_iter().flatten()
}

/// The resources of a definition, one for each served version. None before its names are accepted.
pub(super) fn resources(definition: &Value, schemas: &Arc<Schemas>) -> Vec<Resource> {
    if !is_established(definition) {
        return Vec::new();
    }
    let names = Names::accepted(definition);
    let served = versions(definition).filter(|version| version["served"] == true);
    served.map(|version| resource(definition, version, &names, schemas)).collect()
}

fn resource(definition: &Value, version: &Value, names: &Names, schemas: &Arc<Schemas>) -> Resource {
    let fields: Vec<Field> =
        version["selectableFields"].as_array().into_iter().flatten().map(field).collect();
    let all = |texts: &[String]| texts.iter().map(|name| name.as_str().into()).collect();
    Resource {
        group: group(definition).into(),
        version: text(&version["name"]).into(),
        kind: names.kind.as_str().into(),
        list_kind: names.list_kind.as_str().into(),
        plural: names.plural.as_str().into(),
        singular: names.singular.as_str().into(),
        namespaced: definition["spec"]["scope"] == "Namespaced",
        short_names: all(&names.short_names),
        categories: all(&names.categories),
        verbs: Verb::ALL.to_vec(),
        subresources: subresources(&version["subresources"], &names.kind),
        stored_fields: fields.clone(),
        fields,
        field_refusal: FieldRefusal::Label,
        generation: Generation::Content,
        delete_answers_object: false,
        create_on_update: false,
        unconditional_update: false,
        custom: true,
        schemas: Some(schemas.clone()),
        cached: true,
    }
}

fn subresources(asked: &Value, kind: &str) -> Vec<Subresource> {
    let verbs = vec![Verb::Get, Verb::Patch, Verb::Update];
    let mut subresources = Vec::new();
    if asked["status"].is_object() {
        let name = "status".into();
        let kind = kind.into();
        let verbs = verbs.clone();
        subresources.push(Subresource { name, kind, group_version: None, verbs, scale: None });
    }
    let scale = &asked["scale"];
    if scale.is_object() {
        let path = |key: &str| scale[key].as_str().map(Arc::from);
        subresources.push(Subresource {
            name: "scale".into(),
            kind: "Scale".into(),
            group_version: Some(("autoscaling".into(), "v1".into())),
            verbs,
            scale: Some(ScalePaths {
                spec_replicas: path("specReplicasPath").unwrap_or_default(),
                status_replicas: path("statusReplicasPath").unwrap_or_default(),
                label_selector: path("labelSelectorPath"),
            }),
        });
    }
    subresources
}

/// A selectable field. Its path begins with a dot.
fn field(selectable: &Value) -> Field {
    let path = text(&selectable["jsonPath"]).trim_start_matches('.');
    Field { label: path.into(), paths: vec![path.into()], default: "" }
}

/// The string in a value; empty if it is not a string.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The order of versions in discovery: `v2`, `v1`, `v2beta1`, `v1beta2`, `v1alpha1`, and then versions of
/// any other form.
pub(super) fn by_preference(one: &str, other: &str) -> Ordering {
    let rank = |version: &str| {
        let (major, rest) = number(version.strip_prefix('v')?)?;
        match rest {
            "" => Some((3, major, 0)),
            _ => {
                let (stage, rest) = match rest.strip_prefix("beta") {
                    Some(rest) => (2, rest),
                    None => (1, rest.strip_prefix("alpha")?),
                };
                let (minor, "") = number(rest)? else { return None };
                Some((stage, major, minor))
            }
        }
    };
    Reverse(rank(one)).cmp(&Reverse(rank(other))).then_with(|| one.cmp(other))
}

/// The number at the start of a text, and the rest.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests;

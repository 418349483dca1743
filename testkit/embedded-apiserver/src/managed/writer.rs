//! What a write makes of an object and of its `managedFields`: the one function of all writes.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use serde_json::Value;

use super::compare::compare;
use super::element;
use super::entries::{self, Identity, Managed, Operation};
use super::kind::{Kind, Served};
use super::options;
use super::set::Set;
use super::updater::{Conflict, Failure, Owned, Typed, Updater};
use super::validate::validate;
use crate::status::{ApiError, Cause, Details};
use crate::write::ANNOTATIONS_LIMIT;

/// How many managers by `Update` an object may have. The oldest ones become one.
const MOST_UPDATERS: usize = 10;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What nobody owns.
const NEVER_OWNED: [&str; 12] = [
    "apiVersion",
    "kind",
    "metadata",
    "metadata.name",
    "metadata.namespace",
    "metadata.creationTimestamp",
    "metadata.selfLink",
    "metadata.uid",
    "metadata.clusterName",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.resourceVersion",
];

static STRIPPED: LazyLock<Set> = LazyLock::new(|| Set::of_fields(&NEVER_OWNED));

/// A write to an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) kind: &'a Kind,
    /// The version in which it is written, which all objects given to a writer are in.
    pub(crate) api_version: &'a str,
    /// Empty for the object itself.
    pub(crate) subresource: &'a str,
    /// The fields that such a write leaves as they are.
    pub(crate) ignored: &'a Set,
    /// By whom: [`manager_name`] for updates.
    pub(crate) manager: &'a str,
    /// The time, as objects have it.
    pub(crate) now: &'a str,
}

impl Writer<'_> {
    /// Writes the `managedFields` of an object that was written by anything but an apply patch. `live` is the object
    /// before, if there was one.
    pub(crate) fn updated(&self, live: Option<&Value>, new: &mut Value) {
        let managed = self.managed_before(live, new);
        let is_new = live.is_none_or(|live| live["metadata"]["uid"].as_str().is_none_or(str::is_empty));
        let is_tracked = is_new || !managed.managers.is_empty();
        let mut stripped = std::mem::take(new);
        entries::strip(&mut stripped);
        let stripped = Rc::new(stripped);
        let empty;
        let live = match live {
            Some(live) => live,
            None => {
                empty = self.kind.empty(self.api_version);
                &empty
            }
        };
        let managed =
            if is_tracked { self.update(live, stripped.clone(), managed, self.manager) } else { Ok(managed) };
        *new = Rc::unwrap_or_clone(stripped);
        // An object that cannot be understood has no managers, rather than wrong ones.
        managed.unwrap_or_default().write(new);
    }

    /// The object after a configuration has been applied to it, with its `managedFields`.
    pub(crate) fn applied(
        &self,
        live: Option<&Value>,
        config: &Value,
        force: bool,
    ) -> Result<Value, ApiError> {
        self.check(config)?;
        let empty;
        let live = match live {
            Some(live) => live,
            None => {
                empty = self.kind.empty(self.api_version);
                &empty
            }
        };
        let managed = Managed::of(live)
            .map_err(|problem| ApiError::internal(format!("failed to decode managed fields: {problem}")))?;
        let live = entries::without(live);
        let is_kubectl = self.manager == "kubectl";
        let mut outcome = self.apply(&live, config, managed.clone(), force);
        if let (true, Err(Failure::Conflicts(conflicts))) = (is_kubectl, &outcome)
            && let Some(own) = self.last_applied_set(&live)
        {
            // What kubectl has applied on its side and nobody has changed since is its own.
            let left: Vec<Conflict> =
                conflicts.iter().filter(|conflict| !own.has(&conflict.path)).cloned().collect();
            outcome = if left.is_empty() {
                self.apply(&live, config, managed, true)
            } else {
                Err(Failure::Conflicts(left))
            };
        }
        let (mut object, managed) = outcome.map_err(refused)?;
        if is_kubectl {
            renew_last_applied(&mut object, config);
        }
        managed.write(&mut object);
        Ok(object)
    }

    /// What the object's managers were. Clients may change them; those that do not know of them do not mean to.
    fn managed_before(&self, live: Option<&Value>, new: &Value) -> Managed {
        let of_live = || live.and_then(|live| Managed::of(live).ok()).unwrap_or_default();
        if !self.subresource.is_empty() {
            return of_live();
        }
        if entries::is_reset(new) {
            return Managed::default();
        }
        match Managed::of(new) {
            Ok(managed) if !managed.managers.is_empty() => managed,
            _ => of_live(),
        }
    }

    fn identity(&self, manager: &str, operation: Operation) -> String {
        let identity = Identity {
            manager: if manager.is_empty() { "unknown" } else { manager }.to_owned(),
            operation,
            api_version: self.api_version.to_owned(),
            subresource: self.subresource.to_owned(),
        };
        identity.text()
    }

    fn typed(
        &self,
        object: impl Into<Rc<Value>>,
        what: &str,
        duplicates: bool,
    ) -> Result<Typed<'_>, Failure> {
        let object = object.into();
        let Some(of) = self.kind.of(self.api_version) else {
            let kind = gvk(self.api_version, &self.kind.name);
            return Err(Failure::Problem(format!("no corresponding type for {kind}")));
        };
        validate(&object, of, duplicates).map_err(|problem| {
            let metadata = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
            let kind = gvk(self.api_version, &self.kind.name);
            let namespace = metadata("namespace");
            let name = metadata("name");
            match what {
                "new" => format!(
                    "failed to convert new object ({namespace}/{name}; {kind}) to smd typed: {problem}"
                ),
                _ => format!("failed to create typed {what} object ({namespace}/{name}; {kind}): {problem}"),
            }
        })?;
        Ok(Typed { value: object, of })
    }

    fn update(
        &self,
        live: &Value,
        new: Rc<Value>,
        mut managed: Managed,
        manager: &str,
    ) -> Result<Managed, Failure> {
        let live = self.typed(entries::without(live), "live", true)?;
        let new = self.typed(new, "new", true)?;
        // Under a name of its own, to know what this update has changed.
        let this = "current-operation";
        let served = Served { kind: self.kind, ignored: self.ignored };
        let updater = Updater { versions: &served, manager: this, version: self.api_version };
        managed.managers = updater.update(&live, &new, &managed.managers)?;
        strip(&mut managed, this);
        if let Some(mut changed) = managed.managers.remove(this) {
            let identity = self.identity(manager, Operation::Update);
            if let Some(before) = managed.managers.get(&identity) {
                changed.set.add(&before.set);
            }
            managed.managers.insert(identity.clone(), changed);
            managed.times.insert(identity, self.now.to_owned());
        }
        merge_oldest(&mut managed);
        Ok(managed)
    }

    fn apply(
        &self,
        live: &Value,
        config: &Value,
        mut managed: Managed,
        force: bool,
    ) -> Result<(Value, Managed), Failure> {
        if managed.managers.is_empty() {
            let empty = self.kind.empty(self.api_version);
            let updated = self.update(&empty, Rc::new(live.clone()), managed, "before-first-apply");
            managed = updated.map_err(|failure| match failure {
                Failure::Problem(why) => {
                    Failure::Problem(format!("failed to create manager for existing fields: {why}"))
                }
                failure @ Failure::Conflicts(_) => failure,
            })?;
        }
        let config = self.typed(config.clone(), "patch", false)?;
        let live_typed = self.typed(live.clone(), "live", true)?;
        let identity = self.identity(self.manager, Operation::Apply);
        let served = Served { kind: self.kind, ignored: self.ignored };
        let updater = Updater { versions: &served, manager: &identity, version: self.api_version };
        let (changed, managers) = updater.apply(&live_typed, &config, &managed.managers, force)?;
        managed.managers = managers;
        strip(&mut managed, &identity);
        let object = match changed {
            Some(changed) => {
                managed.times.insert(identity, self.now.to_owned());
                (*changed.value).clone()
            }
            None => live.clone(),
        };
        Ok((object, managed))
    }

    fn check(&self, config: &Value) -> Result<(), ApiError> {
        let text = |name: &str| config[name].as_str().unwrap_or_default();
        let api_version = text("apiVersion");
        let kind = text("kind");
        if (api_version, kind) != (self.api_version, &self.kind.name) {
            return Err(ApiError::bad_request(format!("invalid object type: {}", gvk(api_version, kind))));
        }
        match &config["metadata"]["managedFields"] {
            Value::Null => Ok(()),
            _ => Err(ApiError::bad_request("metadata.managedFields must be nil")),
        }
    }

    /// The fields of the last configuration that kubectl applied on its side, as far as the object still has them.
    fn last_applied_set(&self, live: &Value) -> Option<Set> {
        let last = live["metadata"]["annotations"][LAST_APPLIED].as_str()?;
        let last: Value = serde_json::from_str(last).ok()?;
        if last["apiVersion"] != self.api_version {
            return None;
        }
        let live = self.typed(live.clone(), "live", false).ok()?;
        let last = self.typed(last, "last", false).ok()?;
        let changes = compare(&last.value, &live.value, last.of).ok()?;
        let set = last.field_set().ok()?;
        Some(set.difference(&changes.modified).difference(&changes.added).difference(&changes.removed))
    }
}

/// The manager of an update: what the request says, or the beginning of its User-Agent.
pub(crate) fn manager_name(parameter: Option<&str>, user_agent: &str) -> String {
    if let Some(manager) = parameter.filter(|manager| !manager.is_empty()) {
        return manager.to_owned();
    }
    let mut name = String::new();
    for character in user_agent.split('/').next().unwrap_or_default().chars() {
        if !options::is_printable(character) {
            continue;
        }
        if name.len() + character.len_utf8() > options::LONGEST {
            break;
        }
        name.push(character);
    }
    name
}

fn strip(managed: &mut Managed, manager: &str) {
    if let Some(owned) = managed.managers.get_mut(manager) {
        owned.set = owned.set.difference(&STRIPPED);
        if owned.set.is_empty() {
            managed.managers.remove(manager);
        }
    }
}

/// Makes one of the oldest managers by `Update` of a version if there are too many.
fn merge_oldest(managed: &mut Managed) {
    let mut updaters: Vec<(String, String)> = Vec::new();
    for (key, _) in managed.managers.iter().filter(|(_, owned)| !owned.applied) {
        updaters.push((managed.times.get(key).cloned().unwrap_or_default(), key.clone()));
    }
    updaters.sort();
    let mut left = updaters.len();
    let mut firsts: HashMap<String, String> = HashMap::new();
    for (time, key) in updaters {
        if left <= MOST_UPDATERS {
            return;
        }
        let Some(owned) = managed.managers.get(&key).cloned() else { continue };
        let Some(first) = firsts.get(&owned.version) else {
            firsts.insert(owned.version, key);
            continue;
        };
        let bucket = Identity {
            manager: "ancient-changes".to_owned(),
            operation: Operation::Update,
            api_version: owned.version.clone(),
            subresource: String::new(),
        };
        let bucket = bucket.text();
        if !managed.managers.contains_key(&bucket)
            && let Some(first) = managed.managers.remove(first)
        {
            managed.managers.insert(bucket.clone(), first);
        }
        let before = managed.managers.get(&bucket).map(|before| before.set.clone()).unwrap_or_default();
        managed.managers.remove(&key);
        managed.managers.insert(bucket.clone(), Owned { set: owned.set.union(&before), ..owned });
        managed.times.insert(bucket, time);
        left -= 1;
    }
}

/// Keeps the annotation of client-side apply true, if the object has it, for those who go back to it.
fn renew_last_applied(object: &mut Value, config: &Value) {
    let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) else {
        return;
    };
    if annotations.get(LAST_APPLIED).and_then(Value::as_str).is_none_or(str::is_empty) {
        return;
    }
    let mut config = config.clone();
    if let Some(metadata) = config.get_mut("metadata").and_then(Value::as_object_mut) {
        let left = metadata.get_mut("annotations").and_then(Value::as_object_mut).map(|annotations| {
            annotations.remove(LAST_APPLIED);
            annotations.len()
        });
        if left == Some(0) {
            metadata.remove("annotations");
        }
    }
    annotations.insert(LAST_APPLIED.to_owned(), format!("{config}\n").into());
    let length = |(name, value): (&String, &Value)| name.len() + value.as_str().unwrap_or_default().len();
    if annotations.iter().map(length).sum::<usize>() > ANNOTATIONS_LIMIT {
        annotations.remove(LAST_APPLIED);
    }
}

fn refused(failure: Failure) -> ApiError {
    let conflicts = match failure {
        Failure::Problem(problem) => return ApiError::internal(problem),
        Failure::Conflicts(conflicts) => conflicts,
    };
    let named = |conflict: &Conflict| Identity::parse(&conflict.manager).printed();
    let message = match conflicts.as_slice() {
        [one] => {
            format!(
                "Apply failed with 1 conflict: conflict with {}: {}",
                named(one),
                element::printed(&one.path)
            )
        }
        several => {
            let mut lines = Vec::new();
            for group in several.chunk_by(|one, other| one.manager == other.manager) {
                lines.extend(group.first().map(|first| format!("conflicts with {}:", named(first))));
                lines.extend(group.iter().map(|conflict| format!("- {}", element::printed(&conflict.path))));
            }
            format!("Apply failed with {} conflicts: {}", several.len(), lines.join("\n"))
        }
    };
    let causes = conflicts.iter().map(|conflict| Cause {
        reason: "FieldManagerConflict",
        message: format!("conflict with {}", named(conflict)),
        field: element::printed(&conflict.path),
    });
    let details = Details { causes: causes.collect(), ..Details::default() };
    ApiError::new(409, "Conflict", message).with_details(details)
}

/// Group, version and kind as Go prints them.
fn gvk(api_version: &str, kind: &str) -> String {
    if api_version.contains('/') {
        format!("{api_version}, Kind={kind}")
    } else {
        format!("/{api_version}, Kind={kind}")
    }
}

#[cfg(test)]
mod tests;

//! DELETE of one object, which is removed at once or gets a deletionTimestamp first.

use http::{Response, StatusCode};
use serde_json::Value;

use super::definitions::is_definition;
use super::propagation::Propagation;
use super::{Object, custom, deleted_status, dry_run_problem, input, metadata};
use crate::api::Api;
use crate::body::Body;
use crate::controllers::BuiltinController;
use crate::kinds::Resource;
use crate::read::object_answer;
use crate::request::{Form, Query, Request, Target};
use crate::status::{ApiError, Cause, Details};
use crate::storage::{Content, Expected, Stored};

/// The options of a delete. What they say about dependents has an effect only if there is a garbage collector.
#[derive(Clone, Debug, Default)]
pub(super) struct DeleteOptions {
    grace_seconds: Option<i64>,
    uid: Option<String>,
    pub(super) version: Option<String>,
    propagation: Propagation,
    pub(super) dry_run: bool,
}

/// The outcome of a delete.
#[derive(Debug)]
pub(super) enum Deleted {
    /// The object is gone. This is its last state, with the version of its deletion.
    Gone(Stored),
    /// The object is still there, with a deletionTimestamp.
    Marked(Stored),
}

impl Api {
    pub(crate) fn delete(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let options = DeleteOptions::read(request)?;
        let resource = &target.resource;
        options.warn(resource, request);
        Ok(match self.delete_object(target, &options)? {
            Deleted::Gone(stored) if !resource.delete_answers_object => {
                let uid = stored.content.uid.to_string();
                deleted_status(&Details { uid, ..resource.details(stored.content.name()) })
            }
            Deleted::Gone(stored) | Deleted::Marked(stored) => {
                object_answer(StatusCode::OK, &stored, resource, Form::Whole)
            }
        })
    }

    /// Removes an object, or sets its deletionTimestamp. The objects of a CustomResourceDefinition follow it.
    pub(super) fn delete_object(
        &self,
        target: &Target,
        options: &DeleteOptions,
    ) -> Result<Deleted, ApiError> {
        let deleted = self.remove_or_mark(target, options)?;
        if let (Deleted::Marked(definition), false) = (&deleted, options.dry_run) {
            self.empty_definition(&target.resource, definition);
        }
        Ok(deleted)
    }

    fn remove_or_mark(&self, target: &Target, options: &DeleteOptions) -> Result<Deleted, ApiError> {
        let resource = &target.resource;
        self.refuse_to_delete_system_namespace(target)?;
        let id = resource.storage_id();
        let _alone = self.definition_lock(resource);
        loop {
            let current = self.current(target)?;
            options.check(resource, &current)?;
            let old = current.to_object()?;
            if is_namespace(resource) && !self.is_finalised(&old) {
                match self.delete_namespace(target, &current, options)? {
                    Some(deleted) => return Ok(deleted),
                    None => continue,
                }
            }
            if is_definition(resource) && !current.content.terminating {
                return self.mark_definition(resource, &current, options.dry_run).map(Deleted::Marked);
            }
            let (marked, goes) = self.mark(resource, &old, options);
            let content = marked.map(|mut object| {
                custom::complete(resource, &mut object);
                Content::written_as(resource, &current.content.key, &object)
            });
            if options.dry_run {
                let content = content.map_or_else(|| current.content.clone(), Into::into);
                let stored = Stored { version: current.version, content };
                return Ok(if goes { Deleted::Gone(stored) } else { Deleted::Marked(stored) });
            }
            let last = match content {
                Some(content) => match self.storage.write(&id, content, Expected::Version(current.version)) {
                    Ok(stored) => stored,
                    Err(_) => continue,
                },
                None => current,
            };
            if !goes {
                return Ok(Deleted::Marked(last));
            }
            if let Ok(stored) = self.storage.remove(&id, &last.content.key, last.version) {
                self.after_removal(resource, &stored);
                return Ok(Deleted::Gone(stored));
            }
        }
    }

    /// The object with its deletionTimestamp, if that has to be written, and whether the object is then removed.
    fn mark(&self, resource: &Resource, old: &Object, options: &DeleteOptions) -> (Option<Object>, bool) {
        let is_pod = resource.storage_id().is("", "pods");
        let first = !metadata::is_terminating(old);
        let grace = if is_pod { pod_grace(old, options.grace_seconds) } else { 0 };
        let before = metadata::number(old, "deletionGracePeriodSeconds").unwrap_or(0);
        // A second delete can only shorten the grace period. As long as there is one, it changes nothing else.
        let shortens = before > 0 && options.grace_seconds.is_some() && grace < before;
        if !first && before > 0 && !shortens {
            return (None, false);
        }
        let finalizers = self.finalizers_after(resource, old, options);
        let held =
            finalizers.as_ref().map_or_else(|| !metadata::finalizers(old).is_empty(), |it| !it.is_empty());
        let is_graceful = is_pod && first || shortens;
        if !is_graceful && !(held && (first || finalizers.is_some())) {
            return (None, !held);
        }
        let mut object = old.clone();
        let metadata = metadata::metadata_mut(&mut object);
        if let Some(finalizers) = finalizers {
            metadata.insert("finalizers".to_owned(), finalizers.into());
            metadata::tidy(metadata);
        }
        if first || shortens {
            let at = self.clock.after(u64::try_from(grace).unwrap_or_default());
            metadata.insert("deletionTimestamp".to_owned(), at.into());
            metadata.insert("deletionGracePeriodSeconds".to_owned(), grace.into());
        }
        if let Some(generation) = metadata.get("generation").and_then(Value::as_i64).filter(|_| first) {
            metadata.insert("generation".to_owned(), generation.saturating_add(1).into());
        }
        (Some(object), !held && grace == 0)
    }

    /// The finalizers that a delete gives an object, if they are not those that it has.
    pub(super) fn finalizers_after(
        &self,
        resource: &Resource,
        old: &Object,
        options: &DeleteOptions,
    ) -> Option<Vec<String>> {
        // Nobody would remove the finalizers of the garbage collector.
        if !self.options.runs(BuiltinController::GarbageCollector) {
            return None;
        }
        let old = metadata::finalizers(old);
        if is_namespace(resource) {
            options.propagation.namespace_finalizers(&old)
        } else {
            options.propagation.finalizers(resource, &old)
        }
    }

    /// Does what follows from the removal of an object: of a CustomResourceDefinition, or of the last object of one or in
    /// a namespace that is being deleted.
    pub(super) fn after_removal(&self, resource: &Resource, removed: &Stored) {
        self.withdraw_definition(resource, removed);
        if resource.custom {
            self.finalise_definition(&resource.storage_id());
        }
        self.finalise_namespace(removed.content.namespace());
    }
}

impl DeleteOptions {
    /// Without a grace period.
    pub(super) fn at_once() -> Self {
        Self { grace_seconds: Some(0), ..Self::default() }
    }

    /// Reads the options of a request: from its body, or from its query if it has none.
    pub(super) fn read(request: &Request) -> Result<Self, ApiError> {
        if request.body.is_empty() {
            return Self::of(&in_query(&request.query)?);
        }
        input::expect_json(request)?;
        Self::of(&in_body(&request.body)?)
    }

    /// The options in a document whose fields have the right types.
    pub(super) fn of(document: &Object) -> Result<Self, ApiError> {
        let causes = problems(document);
        if !causes.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", causes));
        }
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let precondition = |name: &str| text(document.get("preconditions").and_then(|all| all.get(name)));
        let orphan = document.get("orphanDependents").and_then(Value::as_bool);
        Ok(Self {
            grace_seconds: document.get("gracePeriodSeconds").and_then(Value::as_i64),
            uid: precondition("uid"),
            version: precondition("resourceVersion"),
            propagation: Propagation::new(policy(document).unwrap_or_default(), orphan),
            dry_run: !dry_run_values(document).is_empty(),
        })
    }

    /// Warns of jobs whose pods stay because nothing is said about them.
    pub(super) fn warn(&self, resource: &Resource, request: &Request) {
        if (&*resource.group, &*resource.plural) == ("batch", "jobs") && self.propagation.is_unset() {
            request.warn(
                "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to \
                 remove them or set propagationPolicy=Orphan to suppress this warning",
            );
        }
    }

    /// Refuses to delete an object that does not meet the preconditions.
    pub(super) fn check(&self, resource: &Resource, current: &Stored) -> Result<(), ApiError> {
        let name = current.content.name();
        let conflict = |why: String| {
            let kind = resource.kind.to_string();
            let group = resource.group.to_string();
            let dot = if group.is_empty() { "" } else { "." };
            let message = format!("Operation cannot be fulfilled on {kind}{dot}{group} \"{name}\": {why}");
            let details = Details { name: name.to_owned(), group, kind, ..Details::default() };
            Err(ApiError::new(409, "Conflict", message).with_details(details))
        };
        let uid = &current.content.uid;
        if is_namespace(resource) || is_definition(resource) {
            return self.check_in_short(resource, current);
        }
        if let Some(given) = self.uid.as_deref().filter(|given| *given != &**uid) {
            return conflict(format!(
                "the UID in the precondition ({given}) does not match the UID in record ({uid}). The object might \
                 have been deleted and then recreated"
            ));
        }
        let version = current.version.to_string();
        if let Some(given) = self.version.as_deref().filter(|given| *given != version) {
            return conflict(format!(
                "the ResourceVersion in the precondition ({given}) does not match the ResourceVersion in record \
                 ({version}). The object might have been modified"
            ));
        }
        Ok(())
    }

    /// The same for kinds that check it themselves in the real server.
    fn check_in_short(&self, resource: &Resource, current: &Stored) -> Result<(), ApiError> {
        let version = current.version.to_string();
        let checks = [
            ("UID", self.uid.as_deref(), &*current.content.uid),
            ("ResourceVersion", self.version.as_deref(), &version),
        ];
        for (what, given, found) in checks {
            if let Some(given) = given.filter(|given| *given != found) {
                let why = "Precondition failed:";
                let why = format!("{why} {what} in precondition: {given}, {what} in object meta: {found}");
                return Err(ApiError::conflict(resource, current.content.name(), &why));
            }
        }
        Ok(())
    }
}

/// The document of options that a request has as its body. An option of a wrong type is refused: it says that something must
/// not happen, and what would happen without it is a deletion.
fn in_body(body: &[u8]) -> Result<Object, ApiError> {
    let document = input::document(body)?;
    let text = |name: &str| document.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(kind) = text("kind").filter(|kind| *kind != "DeleteOptions") {
        let version = text("apiVersion").unwrap_or("meta.k8s.io/v1");
        return Err(ApiError::bad_request(format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/runtime/scheme.go:111\""
        )));
    }
    match input::problem("v1", "DeleteOptions", &document) {
        Some(problem) => Err(ApiError::bad_request(problem)),
        None => Ok(document),
    }
}

/// The same options as parameters.
fn in_query(query: &Query) -> Result<Object, ApiError> {
    let dry_run: Vec<&str> = query.all("dryRun").collect();
    let options = [
        ("dryRun", (!dry_run.is_empty()).then(|| dry_run.into())),
        ("gracePeriodSeconds", query.integer("gracePeriodSeconds")?.map(Value::from)),
        ("orphanDependents", query.flag("orphanDependents").map(Value::from)),
        ("propagationPolicy", query.first("propagationPolicy").map(Value::from)),
    ];
    Ok(options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// What is wrong with options whose fields have the right types.
fn problems(document: &Object) -> Vec<Cause> {
    let mut causes = Vec::new();
    if let Some(policy) = policy(document) {
        if document.get("orphanDependents").is_some_and(Value::is_boolean) {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            causes.push(Cause::invalid("propagationPolicy", &format!("{policy:?}"), why));
        }
        if !matches!(policy, "Foreground" | "Background" | "Orphan") {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            causes.push(Cause::unsupported("propagationPolicy", policy, &supported));
        }
    }
    causes.extend(dry_run_problem(&dry_run_values(document)));
    causes
}

fn policy(document: &Object) -> Option<&str> {
    document.get("propagationPolicy").and_then(Value::as_str)
}

/// The values of `dryRun`. A null among them is an empty text.
pub(super) fn dry_run_values(document: &Object) -> Vec<&str> {
    let values = document.get("dryRun").and_then(Value::as_array).into_iter().flatten();
    values.map(|value| value.as_str().unwrap_or_default()).collect()
}

/// The grace period of a pod in seconds; zero if it does not run.
fn pod_grace(pod: &Object, asked: Option<i64>) -> i64 {
    let text = |part: &str, name: &str| {
        pod.get(part).and_then(|part| part.get(name)).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let spec = |name: &str| pod.get("spec").and_then(|spec| spec.get(name)).and_then(Value::as_i64);
    if text("spec", "nodeName").is_empty() || matches!(&*text("status", "phase"), "Succeeded" | "Failed") {
        return 0;
    }
    // The real server takes a negative grace period for one second.
    match asked.or_else(|| spec("terminationGracePeriodSeconds")).unwrap_or(30) {
        negative if negative < 0 => 1,
        seconds => seconds,
    }
}

pub(super) fn is_namespace(resource: &Resource) -> bool {
    resource.storage_id().is("", "namespaces")
}

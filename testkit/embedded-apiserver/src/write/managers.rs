//! `metadata.managedFields` of what is written, and server-side apply.

use http::{Response, header};
use serde_json::Value;

use super::steps::{Asked, Head, Old, Write};
use super::{Object, custom, metadata};
use crate::api::Api;
use crate::body::Body;
use crate::defaults;
use crate::kinds::Resource;
use crate::managed::{Form, Kind, Managed, Set, Writer, configuration, ignored, problems, scale};
use crate::request::{Request, Target};
use crate::schema::{self, Flavour};
use crate::status::ApiError;

/// The media type of apply patches.
pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// The name of the manager of a request that is no apply patch.
pub(super) fn manager_of(request: &Request) -> String {
    let agent = request.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    crate::managed::manager_name(request.query.first("fieldManager"), agent.unwrap_or_default())
}

/// The name of the manager of an apply patch, and whether it takes what belongs to others.
fn manager_and_force(request: &Request) -> (&str, bool) {
    (request.query.text("fieldManager"), request.query.flag("force") == Some(true))
}

/// Refuses a request whose `fieldManager` or `force` is wrong. `options` is the kind of the options, for messages.
pub(super) fn check_manager(request: &Request, options: &str) -> Result<(), ApiError> {
    let form = match options {
        "PatchOptions" if request.media_type() == APPLY => Form::Apply,
        "PatchOptions" => Form::Patch,
        _ => Form::NoPatch,
    };
    let causes = problems(&request.query, form);
    if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid("meta.k8s.io", options, "", causes)) }
}

impl Api {
    /// Sets the managers of an object that is no apply patch's, `old` being the object before.
    pub(super) fn track(
        &self,
        resource: &Resource,
        subresource: &str,
        manager: &str,
        old: Option<&Object>,
        new: &mut Object,
    ) {
        if !self.options.managed_fields {
            metadata::metadata_mut(new).remove("managedFields");
            return;
        }
        let mut object = whole(resource, new);
        let old = old.map(|old| whole(resource, old));
        self.with_writer(resource, subresource, manager, |writer| writer.updated(old.as_ref(), &mut object));
        set_managers(new, object["metadata"].get("managedFields").cloned());
    }

    fn with_writer<T>(
        &self,
        resource: &Resource,
        subresource: &str,
        manager: &str,
        write: impl FnOnce(&Writer<'_>) -> T,
    ) -> T {
        let has_status = resource.subresource("status").is_some();
        let ignored = Set::of_fields(ignored(&resource.plural, has_status, resource.custom, subresource));
        let kind = self.registry.managed_kind(resource);
        let api_version = resource.api_version();
        let now = self.clock.now();
        write(&Writer {
            kind: &kind,
            api_version: &api_version,
            subresource,
            ignored: &ignored,
            manager,
            now: &now,
        })
    }

    /// Answers an apply patch of an object or of its status.
    pub(super) fn apply_patch(
        &self,
        target: &Target,
        request: &Request,
        head: &Head,
    ) -> Result<Response<Body>, ApiError> {
        let resource = &target.resource;
        let config = configuration(&request.body)?;
        let subresource = target.subresource.as_deref().unwrap_or_default();
        let (manager, force) = manager_and_force(request);
        let applied = |old: Option<&Object>| -> Result<Object, ApiError> {
            let old = old.map(|old| whole(resource, old));
            let object = self.with_writer(resource, subresource, manager, |writer| {
                writer.applied(old.as_ref(), &config, force)
            })?;
            let mut object = resource.stored(plain(resource, object)?);
            custom::set_defaults(resource, &mut object);
            Ok(object)
        };
        let create = || applied(None);
        let change = |old: &Old| applied(Some(&old.object));
        let is_main = subresource.is_empty();
        let asked = if is_main { Asked::NewOrChanged(&create, &change) } else { Asked::Changed(&change) };
        self.answer_write(head, &Write::of(head, target, request, asked))
    }

    /// Refuses an apply patch if nobody is told who owns what.
    pub(super) fn expect_managers(&self) -> Result<(), ApiError> {
        if self.options.managed_fields {
            Ok(())
        } else {
            Err(ApiError::not_implemented(
                "server-side apply needs managedFields, which are switched off in this server",
            ))
        }
    }

    /// The new Scale of an object that an apply patch asks for, and the managers of the object then.
    pub(super) fn apply_scale(
        &self,
        resource: &Resource,
        request: &Request,
        object: &Object,
        scale: &Object,
    ) -> Result<(Object, Managed), ApiError> {
        let config = configuration(&request.body)?;
        let (manager, force) = manager_and_force(request);
        let (before, scale) = scale_before(resource, object, scale);
        if resource.custom {
            // Sic: the real server cannot do it.
            let metadata = |name: &str| scale["metadata"][name].as_str().unwrap_or_default();
            let (prefix, of) = match scale["metadata"].get("managedFields") {
                None => ("failed to create manager for existing fields: ", "/".to_owned()),
                Some(_) => ("", format!("{}/{}", metadata("namespace"), metadata("name"))),
            };
            let why = "request to convert CR to an invalid group/version: autoscaling/v1";
            let what = format!("live object ({of}; autoscaling/v1, Kind=Scale) to proper version");
            return Err(ApiError::internal(format!("{prefix}failed to convert {what}: {why}")));
        }
        let applied =
            self.with_scale_writer(manager, |writer| writer.applied(Some(&scale), &config, force))?;
        let managed = scale_after(resource, &before, &applied);
        Ok((applied.as_object().cloned().unwrap_or_default(), managed))
    }

    /// The managers of an object after its Scale was changed.
    pub(super) fn track_scale(
        &self,
        resource: &Resource,
        manager: &str,
        object: &Object,
        scale: &Object,
        new: &Object,
    ) -> Managed {
        let (before, scale) = scale_before(resource, object, scale);
        if resource.custom && scale["metadata"].get("managedFields").is_none() {
            // Sic: if nobody owns the replicas of a custom resource, in the real server nobody does after that.
            return scale_after(resource, &before, &Value::Null);
        }
        let scale = without_zero(scale);
        let mut new = without_zero(Value::Object(new.clone()));
        self.with_scale_writer(manager, |writer| writer.updated(Some(&scale), &mut new));
        scale_after(resource, &before, &new)
    }

    fn with_scale_writer<T>(&self, manager: &str, write: impl FnOnce(&Writer<'_>) -> T) -> T {
        let kind = Kind::builtin("autoscaling", "Scale");
        let ignored = Set::default();
        let now = self.clock.now();
        let api_version = "autoscaling/v1";
        write(&Writer {
            kind: &kind,
            api_version,
            subresource: "scale",
            ignored: &ignored,
            manager,
            now: &now,
        })
    }
}

/// The managers of an object, and its Scale with the managers that it has.
fn scale_before(resource: &Resource, object: &Object, scale: &Object) -> (Managed, Value) {
    let managed = Managed::of(&Value::Object(object.clone())).unwrap_or_default();
    let mut scale = Value::Object(scale.clone());
    scale::of_scale(&managed, &|version| replicas(resource, version)).write(&mut scale);
    (managed, scale)
}

/// A Scale as the real server has it: no replicas are left out, and so nobody owns them.
fn without_zero(mut scale: Value) -> Value {
    if let Some(spec) = scale.get_mut("spec").and_then(Value::as_object_mut) {
        spec.retain(|name, value| name != "replicas" || *value != 0);
    }
    scale
}

fn scale_after(resource: &Resource, before: &Managed, scale: &Value) -> Managed {
    let scale = Managed::of(scale).unwrap_or_default();
    scale::of_object(before, scale, &resource.api_version(), &|version| replicas(resource, version))
}

/// Where an object of that version has its number of replicas.
fn replicas(resource: &Resource, version: &str) -> Option<Vec<crate::managed::Element>> {
    let group = version.rsplit_once('/').map_or("", |(group, _)| group);
    let path = super::scale::paths(resource).0;
    (*group == *resource.group).then(|| scale::path(&path))
}

/// The object as clients see it.
fn whole(resource: &Resource, object: &Object) -> Value {
    let mut object = resource.served(object.clone());
    object.insert("kind".to_owned(), (&*resource.kind).into());
    object.insert("apiVersion".to_owned(), resource.api_version().into());
    Value::Object(object)
}

/// The object as its type has it, without nulls; kind and version are known by other means.
fn plain(resource: &Resource, object: Value) -> Result<Object, ApiError> {
    let mut object = match schema::of(resource) {
        Some(of) => {
            let decoded = schema::decode(of, Flavour::Tree, &object).unwrap_or_default();
            match decoded.problem {
                Some(problem) => return Err(ApiError::internal(problem)),
                None => {
                    let mut object = decoded.object;
                    defaults::set(resource, &mut object);
                    object
                }
            }
        }
        None => match object {
            Value::Object(object) => object,
            _ => Object::new(),
        },
    };
    object.remove("kind");
    object.remove("apiVersion");
    Ok(object)
}

/// The managers of an object, as it has them.
pub(super) fn managers(object: &Object) -> Option<Value> {
    object.get("metadata")?.get("managedFields").cloned()
}

pub(super) fn set_managers(object: &mut Object, managers: Option<Value>) {
    let metadata = metadata::metadata_mut(object);
    match managers {
        Some(managers) => drop(metadata.insert("managedFields".to_owned(), managers)),
        None => drop(metadata.remove("managedFields")),
    }
}

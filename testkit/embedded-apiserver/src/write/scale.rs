//! The subresource `scale`: the number of replicas of a workload.

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::steps::{Asked, Head, Method, Old, Write};
use super::update::{check_name, check_uid};
use super::{Object, fields, input, managers, metadata};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::Resource;
use crate::read::document;
use crate::request::{Request, Target};
use crate::schema;
use crate::status::{ApiError, Cause};
use crate::storage::Stored;

impl Api {
    pub(super) async fn get_scale(
        &self,
        target: &Target,
        request: &Request,
    ) -> Result<Response<Body>, ApiError> {
        let stored = self.fresh(target, request).await?;
        answer(&target.resource, &stored)
    }

    pub(super) fn set_scale(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let head = Head::read(self, target, request)?;
        let change = |old: &Old| {
            let mut object = old.object.clone();
            let before = scale_of(&target.resource, &old.current)?;
            let (scale, applied) = match head.method {
                Method::Apply => {
                    let (scale, managed) = self.apply_scale(&target.resource, request, &object, &before)?;
                    (scale, Some(managed))
                }
                Method::Patch(kind) => {
                    let of = schema::named("autoscaling/v1", "Scale");
                    let patched = kind.apply(&request.body, before.clone(), of)?;
                    if let Some(problem) = input::problem("autoscaling/v1", "Scale", &patched) {
                        return Err(fields::refused_patch(request, kind, patched, &problem));
                    }
                    (patched, None)
                }
                Method::Put | Method::Post => (input::small(&request.body, "autoscaling/v1", "Scale")?, None),
            };
            check_name(target, &scale)?;
            if !matches!(head.method, Method::Patch(_)) {
                check_uid(&target.resource, &old.current, &scale)?;
            }
            if self.options.managed_fields {
                let managed = applied.unwrap_or_else(|| {
                    let manager = managers::manager_of(request);
                    self.track_scale(&target.resource, &manager, &object, &before, &scale)
                });
                let mut value = Value::Object(std::mem::take(&mut object));
                managed.write(&mut value);
                if let Value::Object(written) = value {
                    object = written;
                }
            }
            let replicas =
                scale.get("spec").and_then(|spec| spec.get("replicas")).cloned().unwrap_or(json!(0));
            match replicas.as_i64() {
                Some(0..) => {}
                Some(_) => {
                    let why = "must be greater than or equal to 0";
                    let cause = Cause::invalid("spec.replicas", &replicas.to_string(), why);
                    let name = old.current.content.name();
                    return Err(ApiError::invalid("autoscaling", "Scale", name, vec![cause]));
                }
                None => return Err(ApiError::bad_request("spec.replicas of a Scale must be a number")),
            }
            let path = paths(&target.resource).0;
            set(&mut object, &path, replicas);
            let version = metadata::text(&scale, "resourceVersion").to_owned();
            // A Scale without a version changes the object whatever its version is.
            if !version.is_empty() {
                metadata::metadata_mut(&mut object).insert("resourceVersion".to_owned(), version.into());
            }
            Ok(object)
        };
        self.answer_write(&head, &Write::of(&head, target, request, Asked::Changed(&change)))
    }
}

pub(super) fn answer(resource: &Resource, stored: &Stored) -> Result<Response<Body>, ApiError> {
    let scale = Value::Object(scale_of(resource, stored)?);
    Ok(document(StatusCode::OK, scale.to_string().into_bytes()))
}

/// The paths of the desired and the actual number of replicas, and of the label selector if it is stored as text.
pub(super) fn paths(resource: &Resource) -> (String, String, Option<String>) {
    match resource.subresource("scale").and_then(|scale| scale.scale.as_ref()) {
        Some(paths) => {
            let selector = paths.label_selector.as_ref().map(ToString::to_string);
            (paths.spec_replicas.to_string(), paths.status_replicas.to_string(), selector)
        }
        None => (".spec.replicas".to_owned(), ".status.replicas".to_owned(), None),
    }
}

fn scale_of(resource: &Resource, stored: &Stored) -> Result<Object, ApiError> {
    let object = stored.to_object()?;
    let (wanted, actual, selector) = paths(resource);
    let number = |path: &str, absent: i64| find(&object, path).and_then(Value::as_i64).unwrap_or(absent);
    let mut status = json!({ "replicas": number(&actual, 0) });
    let selector = match selector {
        Some(path) => find(&object, &path).and_then(Value::as_str).map(str::to_owned),
        None => pod_selector(&object),
    };
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = selector.into();
    }
    let mut meta = Object::new();
    for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        let value = metadata::text(&object, name);
        if !value.is_empty() {
            meta.insert(name.to_owned(), value.into());
        }
    }
    let absent = if resource.custom { 0 } else { 1 };
    let scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": meta,
        "spec": match number(&wanted, absent) {
            0 => json!({}),
            replicas => json!({ "replicas": replicas }),
        },
        "status": status,
    });
    match scale {
        Value::Object(scale) => Ok(scale),
        _ => Ok(Object::new()),
    }
}

/// The `matchLabels` of a workload as a label selector.
fn pod_selector(object: &Object) -> Option<String> {
    let selector = object.get("spec")?.get("selector")?;
    let labels = selector.get("matchLabels").unwrap_or(selector).as_object()?;
    let each = labels.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)));
    Some(each.collect::<Vec<_>>().join(","))
}

fn find<'a>(object: &'a Object, path: &str) -> Option<&'a Value> {
    let mut keys = path.split('.').filter(|key| !key.is_empty());
    let first = object.get(keys.next()?)?;
    keys.try_fold(first, |value, key| value.get(key))
}

fn set(object: &mut Object, path: &str, value: Value) {
    let keys: Vec<&str> = path.split('.').filter(|key| !key.is_empty()).collect();
    let Some((last, before)) = keys.split_last() else { return };
    let mut place = object;
    for key in before {
        let inner = place.entry(*key).or_insert_with(|| json!({}));
        let Some(inner) = inner.as_object_mut() else { return };
        place = inner;
    }
    place.insert((*last).to_owned(), value);
}

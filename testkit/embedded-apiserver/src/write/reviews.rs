//! Reviews of access: there are no access rules, so everything is allowed.

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::fields::FieldValidation;
use super::{Object, dry_run, input, managers};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::Resource;
use crate::read::document;
use crate::request::{Accept, Request, Target, Verb};
use crate::status::{ApiError, Cause};

const RESOURCE: &str = "spec.resourceAttributes";
const NON_RESOURCE: &str = "spec.nonResourceAttributes";

impl Api {
    /// Answers a review; `None` if the kind is none.
    pub(super) fn review(
        &self,
        target: &Target,
        request: &Request,
    ) -> Option<Result<Response<Body>, ApiError>> {
        let resource = &target.resource;
        let answer: fn(&Target, &mut Object) -> Result<Value, ApiError> =
            match (&*resource.group, &*resource.plural) {
                ("authorization.k8s.io", "selfsubjectrulesreviews") => rules,
                ("authorization.k8s.io", _) => access,
                ("authentication.k8s.io", "selfsubjectreviews") => {
                    return Some(self.reviewed(target, request, |_, review| {
                        let metadata = json!({ "creationTimestamp": self.clock.now() });
                        review.insert("metadata".to_owned(), metadata);
                        Ok(json!({ "userInfo": user(request) }))
                    }));
                }
                _ => return None,
            };
        Some(self.reviewed(target, request, answer))
    }

    fn reviewed(
        &self,
        target: &Target,
        request: &Request,
        answer: impl Fn(&Target, &mut Object) -> Result<Value, ApiError>,
    ) -> Result<Response<Body>, ApiError> {
        let resource = &target.resource;
        Accept::negotiate(&request.headers, Verb::Create)?;
        dry_run(&request.query, "CreateOptions")?;
        input::expect_json(request)?;
        let validation = FieldValidation::of(&request.query, "CreateOptions")?;
        let mut review = input::object(&self.registry, resource, request, validation)?;
        super::create::place(target, &mut review)?;
        let status = answer(target, &mut review)?;
        if resource.plural.ends_with("accessreviews") {
            self.track(resource, "", &managers::manager_of(request), None, &mut review);
        }
        review.insert("status".to_owned(), status);
        review.insert("kind".to_owned(), (&*resource.kind).into());
        review.insert("apiVersion".to_owned(), resource.api_version().into());
        Ok(document(StatusCode::CREATED, Value::Object(review).to_string().into_bytes()))
    }
}

/// Answers whether a subject may do something: yes.
fn access(target: &Target, review: &mut Object) -> Result<Value, ApiError> {
    let spec = |name: &str| review.get("spec").and_then(|spec| spec.get(name)).unwrap_or(&Value::Null);
    let of_resource = spec("resourceAttributes");
    let of_path = spec("nonResourceAttributes");
    let mut causes = Vec::new();
    let shown = || {
        let text = |name: &str| of_path.get(name).and_then(Value::as_str).unwrap_or_default();
        format!(r#"{{"Path":{:?},"Verb":{:?}}}"#, text("path"), text("verb"))
    };
    if !of_resource.is_null() && !of_path.is_null() {
        let why = "cannot be specified in combination with resourceAttributes";
        causes.push(Cause::invalid(NON_RESOURCE, &shown(), why));
    } else if of_resource.is_null() && of_path.is_null() {
        let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        causes.push(Cause::invalid(RESOURCE, "null", why));
    }
    let of_self = &*target.resource.plural == "selfsubjectaccessreviews";
    let is_empty = |value: &Value| match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    };
    if !of_self && is_empty(spec("user")) && is_empty(spec("groups")) {
        let why = "at least one of user or group must be specified";
        causes.push(Cause::invalid("spec.user", "\"\"", why));
    }
    if let Some(namespace) = target.namespace.as_deref().filter(|_| target.resource.namespaced) {
        let asked = of_resource.get("namespace").and_then(Value::as_str).unwrap_or_default();
        if !of_resource.is_null() && asked != namespace {
            let field = format!("{RESOURCE}.namespace");
            causes.push(Cause::invalid(&field, &format!("{asked:?}"), "must match metadata.namespace"));
        }
        if !of_path.is_null() {
            causes.push(Cause::invalid(NON_RESOURCE, &shown(), "disallowed on this kind of request"));
        }
    }
    causes.extend(metadata_is_empty(&target.resource, review));
    if causes.is_empty() {
        Ok(json!({ "allowed": true }))
    } else {
        // Without kind and name, as in the real server.
        Err(ApiError::invalid("authorization.k8s.io", "", "", causes))
    }
}

/// Answers what a subject may do: everything. The real server leaves the namespace out of its answer.
fn rules(_: &Target, review: &mut Object) -> Result<Value, ApiError> {
    let namespace = review.get("spec").and_then(|spec| spec.get("namespace")).and_then(Value::as_str);
    if namespace.unwrap_or_default().is_empty() {
        return Err(ApiError::bad_request("no namespace on request"));
    }
    review.insert("spec".to_owned(), json!({}));
    Ok(json!({
        "resourceRules": [{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }],
        "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": ["*"] }],
        "incomplete": false,
    }))
}

/// A review has no metadata, apart from its namespace.
fn metadata_is_empty(resource: &Resource, review: &Object) -> Option<Cause> {
    let mut metadata = review.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    if resource.namespaced {
        metadata.remove("namespace");
    }
    let shown = Value::Object(metadata.clone()).to_string();
    (!metadata.is_empty()).then(|| Cause::invalid("metadata", &shown, "must be empty"))
}

/// Who sends a request.
fn user(request: &Request) -> Value {
    match &*request.user {
        "" | "system:anonymous" => {
            json!({ "username": "system:anonymous", "groups": ["system:unauthenticated"] })
        }
        name => json!({ "username": name, "groups": ["system:masters", "system:authenticated"] }),
    }
}

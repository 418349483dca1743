//! The subresources `binding` and `eviction` of pods.

use http::Response;
use serde_json::{Value, json};

use super::delete::{self, DeleteOptions};
use super::status_part::Part;
use super::steps::{Asked, Old, Write};
use super::{created_status, dry_run, input, metadata};
use crate::api::Api;
use crate::body::Body;
use crate::request::{Request, Target};
use crate::status::{ApiError, Details};

impl Api {
    /// Assigns a pod to a node.
    pub(super) fn bind(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        input::expect_json(request)?;
        let dry_run = dry_run(&request.query, "CreateOptions")?;
        let binding = input::small(&request.body, "v1", "Binding")?;
        let node = binding.get("target").and_then(|target| target.get("name")).and_then(Value::as_str);
        let Some(node) = node.filter(|node| !node.is_empty()) else {
            return Err(ApiError::internal("target.name: Required value"));
        };
        let change = |old: &Old| {
            let mut pod = old.object.clone();
            let spec = pod.entry("spec").or_insert_with(|| json!({}));
            if let Some(other) = spec.get("nodeName").and_then(Value::as_str).filter(|name| !name.is_empty())
            {
                let name = old.current.content.name().to_owned();
                let why = format!("pod {name} is already assigned to node \"{other}\"");
                let message = format!("Operation cannot be fulfilled on pods/binding \"{name}\": {why}");
                let details = Details { name, kind: "pods/binding".to_owned(), ..Details::default() };
                return Err(ApiError::new(409, "Conflict", message).with_details(details));
            }
            spec["nodeName"] = node.into();
            metadata::metadata_mut(&mut pod).remove("resourceVersion");
            Ok(pod)
        };
        let asked = Asked::Changed(&change);
        self.carry_out(&Write::of_nobody(target, request, Part::Node, dry_run, asked))?;
        Ok(created_status())
    }

    /// Deletes a pod, as `kubectl drain` does, and says so in its status. PodDisruptionBudgets are ignored.
    pub(super) fn evict(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        input::expect_json(request)?;
        let eviction = input::small(&request.body, "policy/v1", "Eviction")?;
        let is_dry_run = dry_run(&request.query, "CreateOptions")?;
        if Some(metadata::text(&eviction, "name")) != target.name.as_deref() {
            return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
        }
        let document = eviction.get("deleteOptions").and_then(Value::as_object).cloned().unwrap_or_default();
        let asked = request.query.all("dryRun").collect::<Vec<_>>();
        let own = delete::dry_run_values(&document);
        if !asked.is_empty() && !own.is_empty() && asked != own {
            let asked = asked.join(" ");
            let own = own.join(" ");
            let why = format!("Non-matching dry-run options in request and content: [{asked}] and [{own}]");
            return Err(ApiError::internal(why));
        }
        let mut options = DeleteOptions::of(&document)?;
        options.dry_run |= is_dry_run;
        if !options.dry_run {
            let condition = json!({
                "type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
                "message": "Eviction API: evicting", "lastProbeTime": null, "lastTransitionTime": self.clock.now(),
            });
            let change = |old: &Old| {
                options.check(&target.resource, &old.current)?;
                let mut pod = old.object.clone();
                let status = pod.entry("status").or_insert_with(|| json!({}));
                let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
                if !conditions.iter().any(|known| known["type"] == condition["type"]) {
                    conditions.push(condition.clone());
                }
                status["conditions"] = conditions.into();
                metadata::metadata_mut(&mut pod).remove("resourceVersion");
                Ok(pod)
            };
            let asked = Asked::Changed(&change);
            let marked = self.carry_out(&Write::of_nobody(target, request, Part::Status, false, asked))?;
            options.version = options.version.map(|_| marked.stored.version.to_string());
        }
        self.delete_object(target, &options)?;
        Ok(created_status())
    }
}

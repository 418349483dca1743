//! What is told of a pod.

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use super::cells::{NONE, condition, list, text_or};
use crate::get::age::{age, time};

/// What the containers of a pod say together.
struct Told {
    status: String,
    ready: usize,
    restarts: i64,
    last_restart: Option<Timestamp>,
}

pub(super) fn status(pod: &Value) -> String {
    told(pod).status
}

/// Ready containers of all; init containers that keep running count.
pub(super) fn ready(pod: &Value) -> String {
    let staying =
        list(pod, "/spec/initContainers").iter().filter(|it| it["restartPolicy"] == "Always").count();
    format!("{}/{}", told(pod).ready, list(pod, "/spec/containers").len() + staying)
}

/// `3 (5m ago)`.
pub(super) fn restarts(pod: &Value, now: Timestamp) -> String {
    let told = told(pod);
    match told.last_restart.filter(|_| told.restarts > 0) {
        Some(last) => format!("{} ({} ago)", told.restarts, age(now.as_second() - last.as_second())),
        None => told.restarts.to_string(),
    }
}

pub(super) fn readiness_gates(pod: &Value) -> String {
    let gates = list(pod, "/spec/readinessGates");
    let open = gates.iter().filter(|gate| condition(pod, &text_or(gate, "/conditionType", "")) == "True");
    if gates.is_empty() { NONE.to_owned() } else { format!("{}/{}", open.count(), gates.len()) }
}

fn told(pod: &Value) -> Told {
    let phase = text_or(pod, "/status/phase", "");
    let gated = list(pod, "/status/conditions")
        .iter()
        .any(|it| it["type"] == "PodScheduled" && it["reason"] == "SchedulingGated");
    let status = if gated { "SchedulingGated".to_owned() } else { text_or(pod, "/status/reason", &phase) };
    let mut told = Told { status, ready: 0, restarts: 0, last_restart: None };
    let initializing = told.init_containers(pod);
    if !initializing || condition(pod, "Initialized") == "True" {
        told.only_staying(pod);
        told.containers(pod);
    }
    let deleted = pod.pointer("/metadata/deletionTimestamp").is_some_and(Value::is_string);
    if deleted && pod.pointer("/status/reason").is_some_and(|reason| reason == "NodeLost") {
        told.status = "Unknown".to_owned();
    } else if deleted && phase != "Succeeded" && phase != "Failed" {
        told.status = "Terminating".to_owned();
    }
    told
}

impl Told {
    /// Says whether the pod is still being initialized. Restarts of init containers count for as long.
    fn init_containers(&mut self, pod: &Value) -> bool {
        for (place, container) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
            self.count(container);
            let terminated = container.pointer("/state/terminated").filter(|it| it.is_object());
            if terminated.is_some_and(|it| it["exitCode"] == 0) {
                continue;
            }
            if stays(pod, container) && container["started"] == true {
                self.ready += usize::from(container["ready"] == true);
                continue;
            }
            let waiting = text_or(container, "/state/waiting/reason", "");
            self.status = match terminated {
                Some(terminated) => format!("Init:{}", ended(terminated)),
                None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
                None => format!("Init:{place}/{}", list(pod, "/spec/initContainers").len()),
            };
            return true;
        }
        false
    }

    /// Counts, of init containers, only the restarts of those that keep running.
    fn only_staying(&mut self, pod: &Value) {
        (self.restarts, self.last_restart) = (0, None);
        let statuses = list(pod, "/status/initContainerStatuses");
        statuses.iter().filter(|status| stays(pod, status)).for_each(|status| self.count(status));
    }

    fn containers(&mut self, pod: &Value) {
        let (mut runs, mut failed) = (false, None);
        for container in list(pod, "/status/containerStatuses").iter().rev() {
            self.count(container);
            let waiting = text_or(container, "/state/waiting/reason", "");
            let terminated = container.pointer("/state/terminated").filter(|it| it.is_object());
            if !waiting.is_empty() {
                self.status = waiting;
            } else if let Some(terminated) = terminated {
                self.status = ended(terminated);
                if terminated["exitCode"] != 0 {
                    failed = Some(self.status.clone());
                }
            } else if container["ready"] == true && container.pointer("/state/running").is_some() {
                runs = true;
                self.ready += 1;
            }
        }
        // One container that is done does not make a pod that goes on complete.
        if self.status == "Completed" {
            match failed {
                _ if runs && condition(pod, "Ready") == "True" => self.status = "Running".to_owned(),
                Some(failed) => self.status = failed,
                None if runs => self.status = "NotReady".to_owned(),
                None => {}
            }
        }
    }

    fn count(&mut self, container: &Value) {
        self.restarts += container["restartCount"].as_i64().unwrap_or_default();
        self.last_restart = self.last_restart.max(time(container, "/lastState/terminated/finishedAt"));
    }
}

/// Whether an init container keeps running beside the others.
fn stays(pod: &Value, status: &Value) -> bool {
    let specs = list(pod, "/spec/initContainers");
    specs.iter().any(|it| it["name"] == status["name"] && it["restartPolicy"] == "Always")
}

/// Why a container ended.
fn ended(terminated: &Value) -> String {
    match (text_or(terminated, "/reason", ""), terminated["signal"].as_i64().unwrap_or(0)) {
        (reason, _) if !reason.is_empty() => reason,
        (_, 0) => format!("ExitCode:{}", terminated["exitCode"].as_i64().unwrap_or_default()),
        (_, signal) => format!("Signal:{signal}"),
    }
}

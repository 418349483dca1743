use serde_json::json;

use super::*;

fn now() -> Timestamp {
    "2026-01-01T00:10:00Z".parse().unwrap()
}

/// The cells of an object by their titles.
fn cell(group: &str, kind: &str, title: &str, object: &Value) -> String {
    let kind = KindInfo::new(group, "v1", kind, "");
    let column = columns(&kind).iter().find(|column| column.title == title);
    (column.unwrap_or_else(|| panic!("{kind:?} has no {title}")).cell)(object, now())
}

#[test]
fn the_status_of_a_pod_is_what_says_most() {
    let status = |pod: &Value| cell("", "Pod", "STATUS", pod);
    let waiting = |reason: &str| json!({ "state": { "waiting": { "reason": reason } } });
    let running = json!({ "ready": true, "state": { "running": {} } });
    let done = json!({ "state": { "terminated": { "reason": "Completed", "exitCode": 0 } } });
    let failed = json!({ "state": { "terminated": { "exitCode": 3 } } });
    let killed = json!({ "state": { "terminated": { "exitCode": 137, "signal": 9 } } });
    let of = |containers: Value| json!({ "status": { "phase": "Running", "containerStatuses": containers } });
    assert_eq!(status(&json!({ "status": { "phase": "Pending" } })), "Pending");
    assert_eq!(status(&json!({ "status": { "phase": "Failed", "reason": "Evicted" } })), "Evicted");
    assert_eq!(status(&of(json!([running, waiting("CrashLoopBackOff")]))), "CrashLoopBackOff");
    assert_eq!(status(&of(json!([failed]))), "ExitCode:3");
    assert_eq!(status(&of(json!([killed]))), "Signal:9");
    assert_eq!(status(&of(json!([done]))), "Completed");
    assert_eq!(status(&of(json!([done, running]))), "NotReady");
    assert_eq!(status(&of(json!([done, failed]))), "ExitCode:3");
    let ending = json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" }, "status": { "phase": "Running" } });
    assert_eq!(status(&ending), "Terminating");
    let gated = json!({ "status": { "phase": "Pending", "conditions": [{ "type": "PodScheduled", "reason": "SchedulingGated" }] } });
    assert_eq!(status(&gated), "SchedulingGated");
    let init = |statuses: Value| {
        json!({ "spec": { "initContainers": [{ "name": "a" }, { "name": "b", "restartPolicy": "Always" }], "containers": [{}] },
            "status": { "phase": "Pending", "initContainerStatuses": statuses, "containerStatuses": [waiting("PodInitializing")] } })
    };
    assert_eq!(status(&init(json!([done, { "name": "b" }]))), "Init:1/2");
    assert_eq!(status(&init(json!([waiting("ImagePullBackOff")]))), "Init:ImagePullBackOff");
    assert_eq!(status(&init(json!([failed]))), "Init:ExitCode:3");
    let beside = init(json!([done, { "name": "b", "started": true, "ready": true, "restartCount": 4 }]));
    assert_eq!(cell("", "Pod", "READY", &beside), "1/2");
    assert_eq!(cell("", "Pod", "RESTARTS", &beside), "4");
}

#[test]
fn restarts_say_when_the_last_one_was() {
    let pod = json!({ "status": { "containerStatuses": [{ "restartCount": 2,
        "lastState": { "terminated": { "finishedAt": "2026-01-01T00:05:00Z" } } }] } });
    assert_eq!(cell("", "Pod", "RESTARTS", &pod), "2 (5m ago)");
}

#[test]
fn nodes_and_their_roles() {
    let node = json!({ "spec": { "unschedulable": true },
        "metadata": { "labels": { "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "" } },
        "status": { "conditions": [{ "type": "Ready", "status": "True" }], "addresses": [{ "type": "InternalIP", "address": "10.0.0.1" }],
            "nodeInfo": { "kernelVersion": "6.1", "architecture": "amd64" } } });
    assert_eq!(cell("", "Node", "STATUS", &node), "Ready,SchedulingDisabled");
    assert_eq!(cell("", "Node", "ROLES", &node), "control-plane,worker");
    assert_eq!(cell("", "Node", "INTERNAL-IP", &node), "10.0.0.1");
    assert_eq!(cell("", "Node", "KERNEL-VERSION", &node), "6.1 (amd64)");
    assert_eq!(cell("", "Node", "STATUS", &json!({})), "Unknown");
    let sick = json!({ "status": { "conditions": [{ "type": "Ready", "status": "Unknown" }] } });
    assert_eq!(cell("", "Node", "STATUS", &sick), "NotReady");
    assert_eq!(cell("", "Node", "ROLES", &json!({})), "<none>");
}

#[test]
fn services_say_where_they_are_reached() {
    let of = |spec: Value, status: Value| json!({ "spec": spec, "status": status });
    let ports =
        json!([{ "port": 80, "protocol": "TCP" }, { "port": 53, "protocol": "UDP", "nodePort": 30053 }]);
    let service =
        of(json!({ "type": "LoadBalancer", "ports": ports, "selector": { "app": "web" } }), json!({}));
    assert_eq!(cell("", "Service", "PORT(S)", &service), "80/TCP,53:30053/UDP");
    assert_eq!(cell("", "Service", "EXTERNAL-IP", &service), "<pending>");
    assert_eq!(cell("", "Service", "SELECTOR", &service), "app=web");
    let given = json!({ "loadBalancer": { "ingress": [{ "ip": "1.2.3.4" }, { "hostname": "lb" }] } });
    let service = of(json!({ "type": "LoadBalancer", "externalIPs": ["9.9.9.9"] }), given);
    assert_eq!(cell("", "Service", "EXTERNAL-IP", &service), "1.2.3.4,lb,9.9.9.9");
    assert_eq!(cell("", "Service", "EXTERNAL-IP", &of(json!({ "type": "ClusterIP" }), json!({}))), "<none>");
    assert_eq!(
        cell(
            "",
            "Service",
            "EXTERNAL-IP",
            &of(json!({ "type": "ExternalName", "externalName": "a.b" }), json!({}))
        ),
        "a.b"
    );
}

#[test]
fn jobs_volumes_and_events() {
    let job = json!({ "spec": { "parallelism": 3 }, "status": { "succeeded": 1, "startTime": "2026-01-01T00:00:00Z" } });
    assert_eq!(cell("batch", "Job", "COMPLETIONS", &job), "1/1 of 3");
    assert_eq!(cell("batch", "Job", "DURATION", &job), "10m");
    assert_eq!(cell("batch", "Job", "STATUS", &job), "Running");
    let volume = json!({ "spec": { "accessModes": ["ReadWriteMany", "ReadWriteOnce"], "claimRef": { "namespace": "a", "name": "b" } } });
    assert_eq!(cell("", "PersistentVolume", "ACCESS MODES", &volume), "RWO,RWX");
    assert_eq!(cell("", "PersistentVolume", "CLAIM", &volume), "a/b");
    let event = json!({ "regarding": { "kind": "Pod", "name": "web-0" }, "note": " said ", "eventTime": "2026-01-01T00:09:00.000000Z",
        "reportingController": "kubelet", "reportingInstance": "node-1" });
    assert_eq!(cell("events.k8s.io", "Event", "OBJECT", &event), "pod/web-0");
    assert_eq!(cell("events.k8s.io", "Event", "MESSAGE", &event), "said");
    assert_eq!(cell("events.k8s.io", "Event", "LAST SEEN", &event), "60s");
    assert_eq!(cell("events.k8s.io", "Event", "SOURCE", &event), "kubelet, node-1");
    assert_eq!(cell("events.k8s.io", "Event", "COUNT", &event), "1");
}

#[test]
fn selectors_are_written_as_on_the_command_line() {
    let set = json!({ "spec": { "selector": { "matchLabels": { "b": "1" }, "matchExpressions": [
        { "key": "a", "operator": "In", "values": ["y", "x"] }, { "key": "c", "operator": "DoesNotExist" },
        { "key": "d", "operator": "Exists" } ] } } });
    assert_eq!(cell("apps", "ReplicaSet", "SELECTOR", &set), "a in (x,y),b=1,!c,d");
}

#[test]
fn a_summary_leaves_out_what_is_not_known() {
    let service = json!({ "spec": { "type": "ClusterIP" }, "metadata": { "name": "x" } });
    let kind = KindInfo::new("", "v1", "Service", "services");
    assert_eq!(summary(&kind, &service, false, now()), "type ClusterIP");
    assert_eq!(summary(&KindInfo::new("example.com", "v1", "Widget", "widgets"), &service, true, now()), "");
    let pod = json!({ "spec": { "nodeName": "n", "containers": [{}] }, "status": { "phase": "Pending" } });
    let kind = KindInfo::new("", "v1", "Pod", "pods");
    assert_eq!(summary(&kind, &pod, false, now()), "ready 0/1, status Pending, restarts 0");
    assert_eq!(summary(&kind, &pod, true, now()), "ready 0/1, status Pending, restarts 0, node n");
}

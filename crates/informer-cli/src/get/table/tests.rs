use serde_json::json;

use super::*;

#[test]
fn columns_are_aligned_and_lines_have_no_trailing_blanks() {
    let pod = json!({
        "spec": { "containers": [{}, {}], "nodeName": "node-1" },
        "status": { "phase": "Running", "containerStatuses": [
            { "ready": true, "restartCount": 2 }, { "ready": false, "restartCount": 1 } ] },
    });
    let rows = [
        Row { namespace: Some("shop"), name: "web-0", age: Some(Duration::from_secs(125)), object: &pod },
        Row { namespace: Some("a"), name: "a-long-name", age: None, object: &Value::Null },
    ];
    let wanted = "\
NAMESPACE   NAME          READY   STATUS    RESTARTS   NODE     AGE
shop        web-0         1/2     Running   3          node-1   2m
a           a-long-name   0/0     -         0          -        -
";
    assert_eq!(table("Pod", &rows, true), wanted);
}

#[test]
fn a_kind_without_columns_of_its_own_has_name_and_age() {
    let rows = [Row { namespace: None, name: "w", age: Some(Duration::ZERO), object: &Value::Null }];
    assert_eq!(table("Widget", &rows, false), "NAME   AGE\nw      0s\n");
    assert_eq!(table("Widget", &[], false), "NAME   AGE\n");
}

#[test]
fn the_status_of_a_pod_is_what_says_most() {
    let crashing = json!({ "status": { "phase": "Running", "containerStatuses": [
        { "state": { "running": {} } }, { "state": { "waiting": { "reason": "CrashLoopBackOff" } } } ] } });
    assert_eq!(pod_status(&crashing), "CrashLoopBackOff");
    let ending = json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" }, "status": { "phase": "Running" } });
    assert_eq!(pod_status(&ending), "Terminating");
    assert_eq!(pod_status(&json!({ "status": { "phase": "Pending" } })), "Pending");
}

#[test]
fn a_node_may_be_ready_and_cordoned() {
    let conditions = json!([{ "type": "Ready", "status": "True" }]);
    let node = json!({ "spec": { "unschedulable": true }, "status": { "conditions": conditions } });
    assert_eq!(node_status(&node), "Ready,SchedulingDisabled");
    assert_eq!(node_status(&json!({})), "NotReady");
}

#[test]
fn ages_have_one_unit() {
    let of = |seconds| age(Duration::from_secs(seconds));
    assert_eq!(
        [of(0), of(119), of(120), of(7_199), of(7_200), of(172_800)],
        ["0s", "119s", "2m", "119m", "2h", "2d"]
    );
}

#[test]
fn a_summary_leaves_out_what_is_not_known() {
    let service = json!({ "spec": { "type": "ClusterIP" } });
    assert_eq!(summary("Service", &service), "type ClusterIP");
    assert_eq!(summary("Widget", &service), "");
}

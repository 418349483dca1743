use serde_json::json;

use super::*;

fn pods() -> KindInfo {
    KindInfo::new("", "v1", "Pod", "pods").namespaced(true)
}

fn pod() -> Value {
    json!({
        "metadata": { "name": "web-0", "namespace": "shop", "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": { "app": "web", "example.com/role": "front" } },
        "spec": { "containers": [{}, {}], "nodeName": "node-1" },
        "status": { "phase": "Running", "podIPs": [{ "ip": "10.0.0.1" }], "containerStatuses": [
            { "ready": true, "restartCount": 2, "state": { "running": {} } }, { "ready": false, "restartCount": 1 } ] },
    })
}

fn printed(look: &Look, is_wide: bool, objects: &[Value]) -> String {
    Table::new(&pods(), look, is_wide).print(objects, "2026-01-01T00:02:05Z".parse().unwrap())
}

#[test]
fn columns_are_aligned_and_lines_have_no_trailing_blanks() {
    let look = Look { headers: true, namespaces: true, ..Look::default() };
    let other = json!({ "metadata": { "name": "a-long-name", "namespace": "a" } });
    let wanted = "\
NAMESPACE   NAME          READY   STATUS    RESTARTS   AGE
shop        web-0         1/2     Running   3          2m5s
a           a-long-name   0/0               0          <unknown>
";
    assert_eq!(printed(&look, false, &[pod(), other]), wanted);
}

#[test]
fn wide_has_more_columns_and_labels_have_their_own() {
    let wanted = "\
NAME    READY   STATUS    RESTARTS   AGE    IP         NODE     NOMINATED NODE   READINESS GATES
web-0   1/2     Running   3          2m5s   10.0.0.1   node-1   <none>           <none>
";
    assert_eq!(printed(&Look { headers: true, ..Look::default() }, true, &[pod()]), wanted);
    let labels = vec!["app".to_owned(), "example.com/role".to_owned(), "none".to_owned()];
    let look = Look { headers: true, label_columns: labels, labels: true, ..Look::default() };
    let wanted = "\
NAME    READY   STATUS    RESTARTS   AGE    APP   ROLE    NONE   LABELS
web-0   1/2     Running   3          2m5s   web   front          app=web,example.com/role=front
";
    assert_eq!(printed(&look, false, &[pod()]), wanted);
    let bare = Look { kinds: true, ..Look::default() };
    assert_eq!(
        printed(&bare, false, &[pod()]),
        "pod/web-0   1/2   Running   3     2m5s\n",
        "no headers, kinds"
    );
}

#[test]
fn fields_have_columns_of_their_own() {
    let fields =
        ["spec.nodeName", "{.status.containerStatuses[*].restartCount}", "metadata.labels", "status.no"];
    let fields = fields.map(|path| Path::parse(path).unwrap()).to_vec();
    let look = Look {
        headers: true,
        field_columns: fields,
        label_columns: vec!["app".to_owned()],
        ..Look::default()
    };
    let text = printed(&look, false, &[pod()]);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().skip(5).collect()).collect();
    let titles =
        ["spec.nodeName", "status.containerStatuses[*].restartCount", "metadata.labels", "status.no", "APP"];
    assert_eq!(lines[0], titles);
    let labels = r#"{"app":"web","example.com/role":"front"}"#;
    assert_eq!(lines[1], ["node-1", "2,1", labels, "<none>", "web"]);
}

#[test]
fn later_lines_keep_the_columns() {
    let mut table = Table::new(&pods(), &Look { headers: true, ..Look::default() }, false);
    let now = "2026-01-01T00:00:07Z".parse().unwrap();
    table.print(&[pod()], now);
    let next = json!({ "metadata": { "name": "b", "creationTimestamp": "2026-01-01T00:00:00Z" }, "status": { "phase": "Pending" } });
    assert_eq!(table.print(&[next], now), "b       0/0     Pending   0          7s\n");
}

#[test]
fn a_kind_without_columns_of_its_own_has_name_and_age() {
    let kind = KindInfo::new("serving.example.com", "v1", "Service", "services");
    let mut table = Table::new(&kind, &Look { headers: true, ..Look::default() }, false);
    let object = json!({ "metadata": { "name": "w", "creationTimestamp": "2026-01-01T00:00:00Z" } });
    assert_eq!(table.print(&[object], "2026-01-01T00:00:00Z".parse().unwrap()), "NAME   AGE\nw      0s\n");
}

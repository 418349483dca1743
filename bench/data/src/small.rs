//! The templates of small kinds that change often: Events, Leases, EndpointSlices.

use crate::app::App;
use crate::hole::{number_text, text as hole};

/// What happened, how bad it is, and what is said about it.
const HAPPENED: [(&str, &str); 6] = [
    ("BackOff", "Warning"),
    ("Unhealthy", "Warning"),
    ("Pulled", "Normal"),
    ("Killing", "Normal"),
    ("FailedMount", "Warning"),
    ("Created", "Normal"),
];

/// What the kubelet says about a pod of the app, again and again: with every version the count and the last time change.
pub(crate) fn event(app: App) -> (String, String) {
    let pod = format!("{}-{}-{}", app.name(), app.hex(3, 10), hole('s', 0, 5));
    let (reason, severity) = HAPPENED[app.number(70, HAPPENED.len() as u64) as usize];
    let metadata = format!(
        concat!(
            r#""metadata":{{"name":"{}.{}","namespace":"team-{}","uid":"{}","resourceVersion":"{}","creationTimestamp":"{}","#,
            r#""managedFields":[{{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"{}","fieldsType":"FieldsV1","#,
            r#""fieldsV1":{{"f:count":{{}},"f:firstTimestamp":{{}},"f:involvedObject":{{}},"f:lastTimestamp":{{}},"f:message":{{}},"f:reason":{{}},"#,
            r#""f:reportingComponent":{{}},"f:reportingInstance":{{}},"f:source":{{"f:component":{{}},"f:host":{{}}}},"f:type":{{}}}}}}]}}"#,
        ),
        pod,
        hole('X', 0, 16),
        hole('m', 0, 5),
        hole('u', 0, 36),
        hole('r', 0, 10),
        hole('T', 0, 20),
        hole('t', 2, 20),
    );
    let node = format!("ip-{}.eu-west-1.compute.internal", hole('n', 0, 14));
    let rest = format!(
        concat!(
            r#""involvedObject":{{"kind":"Pod","namespace":"team-{}","name":"{pod}","uid":"{}","apiVersion":"v1","resourceVersion":"{}","fieldPath":"spec.containers{{{}}}"}},"#,
            r#""reason":"{reason}","message":"{}","source":{{"component":"kubelet","host":"{node}"}},"firstTimestamp":"{}","lastTimestamp":"{}","count":{},"#,
            r#""type":"{severity}","eventTime":null,"reportingComponent":"kubelet","reportingInstance":"{node}""#,
        ),
        hole('m', 0, 5),
        hole('u', 1, 36),
        1_000_000_000 + app.number(71, 900_000_000),
        app.service(),
        message(app, reason, &pod),
        hole('T', 0, 20),
        hole('t', 2, 20),
        number_text(0),
        pod = pod,
        reason = reason,
        severity = severity,
        node = node,
    );
    (metadata, rest)
}

fn message(app: App, reason: &str, pod: &str) -> String {
    let service = app.service();
    match reason {
        "BackOff" => format!(
            "Back-off restarting failed container {service} in pod {pod}_team-{}({})",
            hole('m', 0, 5),
            hole('u', 1, 36)
        ),
        "Unhealthy" => format!(
            "Readiness probe failed: Get \\\"http://{}:{}/readyz\\\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
            hole('i', 0, 14),
            8_000 + app.number(72, 900)
        ),
        "Pulled" => format!(
            "Container image \\\"registry.example.com/{service}/{service}:v{}.{}.{}\\\" already present on machine",
            app.number(73, 4),
            app.number(74, 30),
            app.number(75, 90)
        ),
        "Killing" => format!("Stopping container {service}"),
        "FailedMount" => format!(
            "MountVolume.SetUp failed for volume \\\"kube-api-access-{}\\\" : failed to sync configmap cache: timed out waiting for the condition",
            hole('X', 1, 5)
        ),
        _ => format!("Created container: {service}"),
    }
}

/// What is renewed every few seconds: the lease of a node, or of the leader of an app. A version changes the time of renewal.
pub(crate) fn lease(app: App) -> (String, String) {
    let name = format!("{}-{}", app.name(), hole('s', 0, 5));
    let leads = app.number(70, 3) == 0;
    let (owner, owner_fields, manager) = match leads {
        true => (String::new(), "", "controller"),
        false => (
            format!(
                r#""ownerReferences":[{{"apiVersion":"v1","kind":"Node","name":"{name}","uid":"{}"}}],"#,
                hole('u', 1, 36)
            ),
            r#""f:metadata":{"f:ownerReferences":{".":{}}},"#,
            "kubelet",
        ),
    };
    let metadata = format!(
        concat!(
            r#""metadata":{{"name":"{name}","namespace":"team-{}","uid":"{}","resourceVersion":"{}","creationTimestamp":"{}",{owner}"#,
            r#""managedFields":[{{"manager":"{manager}","operation":"Update","apiVersion":"coordination.k8s.io/v1","time":"{}","fieldsType":"FieldsV1","#,
            r#""fieldsV1":{{{owner_fields}"f:spec":{{"f:acquireTime":{{}},"f:holderIdentity":{{}},"f:leaseDurationSeconds":{{}},"f:renewTime":{{}}}}}}}}]}}"#,
        ),
        hole('m', 0, 5),
        hole('u', 0, 36),
        hole('r', 0, 10),
        hole('T', 0, 20),
        hole('t', 2, 20),
        name = name,
        owner = owner,
        owner_fields = owner_fields,
        manager = manager,
    );
    let spec = match leads {
        true => format!(
            r#""spec":{{"holderIdentity":"{}-{}-{}_{}","leaseDurationSeconds":15,"acquireTime":"{}","renewTime":"{}","leaseTransitions":{}}}"#,
            app.name(),
            app.hex(3, 10),
            hole('X', 2, 5),
            hole('u', 2, 36),
            hole('C', 1, 27),
            hole('c', 2, 27),
            1 + app.number(71, 40),
        ),
        false => format!(
            r#""spec":{{"holderIdentity":"{name}","leaseDurationSeconds":40,"renewTime":"{}"}}"#,
            hole('c', 2, 27)
        ),
    };
    (metadata, spec)
}

/// Some of the endpoints of an app's service, mostly few. With every version one pod is replaced by another.
pub(crate) fn endpoint_slice(app: App) -> (String, String) {
    let name = app.name();
    let metadata = format!(
        concat!(
            r#""metadata":{{"name":"{name}-{}","generateName":"{name}-","namespace":"team-{}","uid":"{}","resourceVersion":"{}","generation":{},"creationTimestamp":"{}","#,
            r#""labels":{{"app":"{name}","app.kubernetes.io/managed-by":"Helm","endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io","kubernetes.io/service-name":"{name}"}},"#,
            r#""annotations":{{"endpoints.kubernetes.io/last-change-trigger-time":"{}"}},"#,
            r#""ownerReferences":[{{"apiVersion":"v1","kind":"Service","name":"{name}","uid":"{uid}","controller":true,"blockOwnerDeletion":true}}],"#,
            r#""managedFields":[{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"discovery.k8s.io/v1","time":"{}","fieldsType":"FieldsV1","#,
            r#""fieldsV1":{{"f:addressType":{{}},"f:endpoints":{{}},"f:metadata":{{"f:annotations":{{".":{{}},"f:endpoints.kubernetes.io/last-change-trigger-time":{{}}}},"f:generateName":{{}},"#,
            r#""f:labels":{{".":{{}},"f:app":{{}},"f:endpointslice.kubernetes.io/managed-by":{{}},"f:kubernetes.io/service-name":{{}}}},"f:ownerReferences":{{".":{{}},"k:{{\"uid\":\"{uid}\"}}":{{}}}}}},"f:ports":{{}}}}}}]}}"#,
        ),
        hole('s', 0, 5),
        hole('m', 0, 5),
        hole('u', 0, 36),
        hole('r', 0, 10),
        1 + app.number(60, 90),
        hole('T', 0, 20),
        hole('t', 1, 20),
        hole('t', 1, 20),
        name = name,
        uid = app.uuid(70),
    );
    let count = match app.number(71, 20) {
        0..=13 => 1 + app.number(72, 5),
        14..=18 => 6 + app.number(72, 10),
        _ => 16 + app.number(72, 20),
    };
    let endpoints: Vec<String> = (0..count).map(|number| endpoint(app, number)).collect();
    let rest = format!(
        concat!(
            r#""addressType":"IPv4","endpoints":[{}],"ports":[{{"name":"http","port":{},"protocol":"TCP","appProtocol":"http"}},"#,
            r#"{{"name":"metrics","port":{},"protocol":"TCP"}}]"#,
        ),
        endpoints.join(","),
        8_000 + app.number(73, 900),
        9_000 + app.number(74, 900),
    );
    (metadata, rest)
}

/// An endpoint; the first is the pod that is replaced.
fn endpoint(app: App, number: u64) -> String {
    let (address, suffix, uid) = match number {
        0 => {
            let digits = |place, width| hole('x', place, width);
            let uid = [digits(1, 8), digits(2, 4), digits(3, 4), digits(4, 4), digits(5, 12)].join("-");
            (hole('I', 0, 14), digits(6, 5), uid)
        }
        _ => (hole('i', number, 14), hole('X', number, 5), hole('u', number, 36)),
    };
    format!(
        concat!(
            r#"{{"addresses":["{}"],"conditions":{{"ready":true,"serving":true,"terminating":false}},"nodeName":"ip-{}.eu-west-1.compute.internal","#,
            r#""targetRef":{{"kind":"Pod","namespace":"team-{}","name":"{}-{}-{}","uid":"{}"}},"zone":"eu-west-1{}"}}"#,
        ),
        address,
        hole('n', number, 14),
        hole('m', 0, 5),
        app.name(),
        app.hex(3, 10),
        suffix,
        uid,
        app.pick(80 + number, &["a", "b", "c"]),
    )
}

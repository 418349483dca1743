//! The template of the ReplicaSets that own an app's pods.

use super::Pod;
use crate::app::App;
use crate::hole::text as hole;

/// The metadata and the rest of a ReplicaSet, as those of a [pod](super::pod).
pub(crate) fn replica_set(app: App, pods: u64) -> (String, String) {
    let pod = Pod::new(app, true);
    (metadata(&pod), rest(&pod, pods))
}

fn metadata(pod: &Pod) -> String {
    format!(
        concat!(
            r#""metadata":{{"name":"{}","namespace":"team-{}","uid":"{}","resourceVersion":"{}","generation":1,"creationTimestamp":"{}","#,
            r#""labels":{{{}}},"annotations":{{"deployment.kubernetes.io/revision":"1","example.com/observed":"{}"}},"#,
            r#""ownerReferences":[{{"apiVersion":"apps/v1","kind":"Deployment","name":"{}","uid":"{}","controller":true,"blockOwnerDeletion":true}}],"#,
            r#""managedFields":[{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"apps/v1","time":"{}","fieldsType":"FieldsV1","#,
            r#""fieldsV1":{{"f:status":{{"f:availableReplicas":{{}},"f:fullyLabeledReplicas":{{}},"f:observedGeneration":{{}},"f:readyReplicas":{{}},"f:replicas":{{}}}}}},"subresource":"status"}}]}}"#,
        ),
        pod.replica_set,
        hole('m', 0, 5),
        hole('U', 0, 36),
        hole('r', 0, 10),
        hole('T', 0, 20),
        pod.labels(),
        hole('t', 1, 20),
        pod.name,
        pod.app.uuid(34),
        hole('t', 2, 20),
    )
}

fn rest(pod: &Pod, pods: u64) -> String {
    // Which node it is on is said of the pods only.
    let spec = pod.spec().replace(&pod.node_name(), "");
    let labels = pod.labels();
    format!(
        concat!(
            r#""spec":{{"replicas":{pods},"selector":{{"matchLabels":{{{labels}}}}},"template":{{"metadata":{{"labels":{{{labels}}}}},{spec}}}}},"#,
            r#""status":{{"replicas":{pods},"fullyLabeledReplicas":{pods},"readyReplicas":{pods},"availableReplicas":{pods},"observedGeneration":1}}"#,
        ),
        pods = pods,
        labels = labels,
        spec = spec,
    )
}

//! The field numbers of the protobuf messages that the templates use, as `generated.proto` of the API has them.

/// JSON name, field number, type. Arrays are repeated fields of the type.
pub(crate) type Field = (&'static str, u32, Type);

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Type {
    Text,
    Integer,
    Bool,
    Time,
    /// A time to the microsecond.
    MicroTime,
    Quantity,
    /// An IntOrString that is a number.
    PortNumber,
    /// FieldsV1: JSON as bytes.
    RawJson,
    /// Bytes, which JSON has as base64.
    Secret,
    Message(&'static [Field]),
    Map(&'static Self),
    /// A message of its own in protobuf whose fields JSON has in the parent.
    Inline(&'static [Field]),
}

use Type::{
    Bool, Inline, Integer, Map, Message, MicroTime, PortNumber, Quantity, RawJson, Secret, Text, Time,
};

const META: Field = (
    "metadata",
    1,
    Message(&[
        ("name", 1, Text),
        ("generateName", 2, Text),
        ("namespace", 3, Text),
        ("uid", 5, Text),
        ("resourceVersion", 6, Text),
        ("generation", 7, Integer),
        ("creationTimestamp", 8, Time),
        ("labels", 11, Map(&Text)),
        ("annotations", 12, Map(&Text)),
        (
            "ownerReferences",
            13,
            Message(&[
                ("kind", 1, Text),
                ("name", 3, Text),
                ("uid", 4, Text),
                ("apiVersion", 5, Text),
                ("controller", 6, Bool),
                ("blockOwnerDeletion", 7, Bool),
            ]),
        ),
        ("finalizers", 14, Text),
        (
            "managedFields",
            17,
            Message(&[
                ("manager", 1, Text),
                ("operation", 2, Text),
                ("apiVersion", 3, Text),
                ("time", 4, Time),
                ("fieldsType", 6, Text),
                ("fieldsV1", 7, RawJson),
                ("subresource", 8, Text),
            ]),
        ),
    ]),
);

const NAME: Field = ("", 1, Inline(&[("name", 1, Text)]));
const FIELD_REF: &[Field] = &[("apiVersion", 1, Text), ("fieldPath", 2, Text)];
const ITEMS: Type = Message(&[("key", 1, Text), ("path", 2, Text), ("mode", 3, Integer)]);

const VOLUME: &[Field] = &[
    ("name", 1, Text),
    (
        "",
        2,
        Inline(&[
            ("emptyDir", 2, Message(&[("medium", 1, Text), ("sizeLimit", 2, Quantity)])),
            (
                "secret",
                6,
                Message(&[("secretName", 1, Text), ("items", 2, ITEMS), ("defaultMode", 3, Integer)]),
            ),
            ("configMap", 19, Message(&[NAME, ("items", 2, ITEMS), ("defaultMode", 3, Integer)])),
            (
                "projected",
                26,
                Message(&[
                    (
                        "sources",
                        1,
                        Message(&[
                            (
                                "downwardAPI",
                                2,
                                Message(&[(
                                    "items",
                                    1,
                                    Message(&[("path", 1, Text), ("fieldRef", 2, Message(FIELD_REF))]),
                                )]),
                            ),
                            ("configMap", 3, Message(&[NAME, ("items", 2, ITEMS)])),
                            (
                                "serviceAccountToken",
                                4,
                                Message(&[("expirationSeconds", 2, Integer), ("path", 3, Text)]),
                            ),
                        ]),
                    ),
                    ("defaultMode", 2, Integer),
                ]),
            ),
        ]),
    ),
];

const PROBE: Type = Message(&[
    (
        "",
        1,
        Inline(&[(
            "httpGet",
            2,
            Message(&[("path", 1, Text), ("port", 2, PortNumber), ("scheme", 4, Text)]),
        )]),
    ),
    ("initialDelaySeconds", 2, Integer),
    ("timeoutSeconds", 3, Integer),
    ("periodSeconds", 4, Integer),
    ("successThreshold", 5, Integer),
    ("failureThreshold", 6, Integer),
]);

const KEY_REF: Type = Message(&[NAME, ("key", 2, Text)]);

const CONTAINER: Type = Message(&[
    ("name", 1, Text),
    ("image", 2, Text),
    ("command", 3, Text),
    ("args", 4, Text),
    ("ports", 6, Message(&[("name", 1, Text), ("containerPort", 3, Integer), ("protocol", 4, Text)])),
    (
        "env",
        7,
        Message(&[
            ("name", 1, Text),
            ("value", 2, Text),
            (
                "valueFrom",
                3,
                Message(&[
                    ("fieldRef", 1, Message(FIELD_REF)),
                    ("configMapKeyRef", 3, KEY_REF),
                    ("secretKeyRef", 4, KEY_REF),
                ]),
            ),
        ]),
    ),
    ("resources", 8, Message(&[("limits", 1, Map(&Quantity)), ("requests", 2, Map(&Quantity))])),
    (
        "volumeMounts",
        9,
        Message(&[("name", 1, Text), ("readOnly", 2, Bool), ("mountPath", 3, Text), ("subPath", 4, Text)]),
    ),
    ("livenessProbe", 10, PROBE),
    ("readinessProbe", 11, PROBE),
    ("terminationMessagePath", 13, Text),
    ("imagePullPolicy", 14, Text),
    ("securityContext", 15, Message(&[("allowPrivilegeEscalation", 7, Bool)])),
    ("terminationMessagePolicy", 20, Text),
]);

const STATUS_OF_CONTAINER: Type = Message(&[
    ("name", 1, Text),
    ("state", 2, Message(&[("running", 2, Message(&[("startedAt", 1, Time)]))])),
    (
        "lastState",
        3,
        Message(&[(
            "terminated",
            3,
            Message(&[
                ("exitCode", 1, Integer),
                ("reason", 3, Text),
                ("startedAt", 5, Time),
                ("finishedAt", 6, Time),
                ("containerID", 7, Text),
            ]),
        )]),
    ),
    ("ready", 4, Bool),
    ("restartCount", 5, Integer),
    ("image", 6, Text),
    ("imageID", 7, Text),
    ("containerID", 8, Text),
    ("started", 9, Bool),
]);

const IPS: Type = Message(&[("ip", 1, Text)]);

const POD_SPEC: Type = Message(&[
    ("volumes", 1, Message(VOLUME)),
    ("containers", 2, CONTAINER),
    ("restartPolicy", 3, Text),
    ("terminationGracePeriodSeconds", 4, Integer),
    ("dnsPolicy", 6, Text),
    ("nodeSelector", 7, Map(&Text)),
    ("serviceAccountName", 8, Text),
    ("serviceAccount", 9, Text),
    ("nodeName", 10, Text),
    (
        "securityContext",
        14,
        Message(&[("runAsUser", 2, Integer), ("runAsNonRoot", 3, Bool), ("fsGroup", 5, Integer)]),
    ),
    ("imagePullSecrets", 15, Message(&[("name", 1, Text)])),
    ("schedulerName", 19, Text),
    ("initContainers", 20, CONTAINER),
    (
        "tolerations",
        22,
        Message(&[
            ("key", 1, Text),
            ("operator", 2, Text),
            ("value", 3, Text),
            ("effect", 4, Text),
            ("tolerationSeconds", 5, Integer),
        ]),
    ),
    ("priority", 25, Integer),
    ("enableServiceLinks", 30, Bool),
    ("preemptionPolicy", 31, Text),
]);

/// core/v1 Pod.
pub(crate) const POD: &[Field] = &[
    META,
    ("spec", 2, POD_SPEC),
    (
        "status",
        3,
        Message(&[
            ("phase", 1, Text),
            (
                "conditions",
                2,
                Message(&[
                    ("type", 1, Text),
                    ("status", 2, Text),
                    ("lastProbeTime", 3, Time),
                    ("lastTransitionTime", 4, Time),
                    ("reason", 5, Text),
                    ("message", 6, Text),
                    ("observedGeneration", 7, Integer),
                ]),
            ),
            ("hostIP", 5, Text),
            ("podIP", 6, Text),
            ("startTime", 7, Time),
            ("containerStatuses", 8, STATUS_OF_CONTAINER),
            ("qosClass", 9, Text),
            ("initContainerStatuses", 10, STATUS_OF_CONTAINER),
            ("podIPs", 12, IPS),
            ("hostIPs", 16, IPS),
            ("observedGeneration", 17, Integer),
        ]),
    ),
];

/// core/v1 ConfigMap.
pub(crate) const CONFIG_MAP: &[Field] = &[META, ("data", 2, Map(&Text))];

/// core/v1 Secret.
pub(crate) const SECRET: &[Field] = &[META, ("data", 2, Map(&Secret)), ("type", 3, Text)];

/// apps/v1 ReplicaSet.
pub(crate) const REPLICA_SET: &[Field] = &[
    META,
    (
        "spec",
        2,
        Message(&[
            ("replicas", 1, Integer),
            ("selector", 2, Message(&[("matchLabels", 1, Map(&Text))])),
            ("template", 3, Message(&[META, ("spec", 2, POD_SPEC)])),
        ]),
    ),
    (
        "status",
        3,
        Message(&[
            ("replicas", 1, Integer),
            ("fullyLabeledReplicas", 2, Integer),
            ("observedGeneration", 3, Integer),
            ("readyReplicas", 4, Integer),
            ("availableReplicas", 5, Integer),
        ]),
    ),
];

const REFERENCE: Type = Message(&[
    ("kind", 1, Text),
    ("namespace", 2, Text),
    ("name", 3, Text),
    ("uid", 4, Text),
    ("apiVersion", 5, Text),
    ("resourceVersion", 6, Text),
    ("fieldPath", 7, Text),
]);

/// core/v1 Event.
pub(crate) const EVENT: &[Field] = &[
    META,
    ("involvedObject", 2, REFERENCE),
    ("reason", 3, Text),
    ("message", 4, Text),
    ("source", 5, Message(&[("component", 1, Text), ("host", 2, Text)])),
    ("firstTimestamp", 6, Time),
    ("lastTimestamp", 7, Time),
    ("count", 8, Integer),
    ("type", 9, Text),
    ("eventTime", 10, MicroTime),
    ("reportingComponent", 14, Text),
    ("reportingInstance", 15, Text),
];

/// coordination/v1 Lease.
pub(crate) const LEASE: &[Field] = &[
    META,
    (
        "spec",
        2,
        Message(&[
            ("holderIdentity", 1, Text),
            ("leaseDurationSeconds", 2, Integer),
            ("acquireTime", 3, MicroTime),
            ("renewTime", 4, MicroTime),
            ("leaseTransitions", 5, Integer),
        ]),
    ),
];

/// discovery/v1 EndpointSlice.
pub(crate) const ENDPOINT_SLICE: &[Field] = &[
    META,
    (
        "endpoints",
        2,
        Message(&[
            ("addresses", 1, Text),
            ("conditions", 2, Message(&[("ready", 1, Bool), ("serving", 2, Bool), ("terminating", 3, Bool)])),
            ("targetRef", 4, REFERENCE),
            ("nodeName", 6, Text),
            ("zone", 7, Text),
        ]),
    ),
    (
        "ports",
        3,
        Message(&[("name", 1, Text), ("protocol", 2, Text), ("port", 3, Integer), ("appProtocol", 4, Text)]),
    ),
    ("addressType", 4, Text),
];

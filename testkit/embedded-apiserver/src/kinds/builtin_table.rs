//! The table of the built-in kinds: those of Kubernetes 1.36 with all APIs switched on, and the versions that the other
//! releases of k8s-openapi have beside them. A fixture, and k8s-openapi itself, are compared with it in the tests.

use super::FieldRefusal::{Label, LabelForKind, QuotedLabelAndKind};
use super::Generation;
use super::builtin::{Group, Selectable, SubresourceRow, cluster, namespaced};
use crate::request::Verb::{self, Create, Delete, Get, List, Patch, Update, Watch};

const READ_AND_WRITE: &[Verb] = &[Get, Patch, Update];
const PROXY_VERBS: &[Verb] = &[Create, Delete, Get, Patch, Update];

/// A part of the object, written apart from the rest.
const fn own(name: &'static str) -> SubresourceRow {
    SubresourceRow { name, kind: None, verbs: READ_AND_WRITE }
}

/// Something else than the object.
const fn other(
    name: &'static str,
    kind: (&'static str, &'static str, &'static str),
    verbs: &'static [Verb],
) -> SubresourceRow {
    SubresourceRow { name, kind: Some(kind), verbs }
}

const APPROVAL: SubresourceRow = own("approval");
const EPHEMERAL_CONTAINERS: SubresourceRow = own("ephemeralcontainers");
const RESIZE: SubresourceRow = own("resize");
const STATUS: SubresourceRow = own("status");
const FINALIZE: SubresourceRow = SubresourceRow { verbs: &[Update], ..own("finalize") };
const LOG: SubresourceRow = SubresourceRow { verbs: &[Get], ..own("log") };
const ATTACH: SubresourceRow = other("attach", ("", "", "PodAttachOptions"), &[Create, Get]);
const BINDING: SubresourceRow = other("binding", ("", "", "Binding"), &[Create]);
const EVICTION: SubresourceRow = other("eviction", ("policy", "v1", "Eviction"), &[Create]);
const EXEC: SubresourceRow = other("exec", ("", "", "PodExecOptions"), &[Create, Get]);
const NODE_PROXY: SubresourceRow = other("proxy", ("", "", "NodeProxyOptions"), PROXY_VERBS);
const POD_PROXY: SubresourceRow = other("proxy", ("", "", "PodProxyOptions"), PROXY_VERBS);
const PORT_FORWARD: SubresourceRow = other("portforward", ("", "", "PodPortForwardOptions"), &[Create, Get]);
const SCALE: SubresourceRow = other("scale", ("autoscaling", "v1", "Scale"), READ_AND_WRITE);
const SERVICE_PROXY: SubresourceRow = other("proxy", ("", "", "ServiceProxyOptions"), PROXY_VERBS);
const TOKEN: SubresourceRow = other("token", ("authentication.k8s.io", "v1", "TokenRequest"), &[Create]);

const POD_FIELDS: &[Selectable] = &[
    ("spec.nodeName", &["spec.nodeName"], ""),
    ("spec.host", &["spec.nodeName"], ""),
    ("spec.restartPolicy", &["spec.restartPolicy"], "Always"),
    ("spec.schedulerName", &["spec.schedulerName"], "default-scheduler"),
    ("spec.serviceAccountName", &["spec.serviceAccountName"], ""),
    ("spec.hostNetwork", &["spec.hostNetwork"], "false"),
    ("status.phase", &["status.phase"], "Pending"),
    ("status.podIP", &["status.podIP"], ""),
    // Taken, and the same for all pods.
    ("status.podIPs", &[], ""),
    ("status.nominatedNodeName", &["status.nominatedNodeName"], ""),
];
const NODE_FIELDS: &[Selectable] = &[("spec.unschedulable", &["spec.unschedulable"], "false")];
const NAMESPACE_FIELDS: &[Selectable] = &[("status.phase", &["status.phase"], "Active")];
const SECRET_FIELDS: &[Selectable] = &[("type", &["type"], "Opaque")];
const SERVICE_FIELDS: &[Selectable] =
    &[("spec.clusterIP", &["spec.clusterIP"], ""), ("spec.type", &["spec.type"], "ClusterIP")];
const REPLICATION_CONTROLLER_FIELDS: &[Selectable] = &[("status.replicas", &["status.replicas"], "0")];
const JOB_FIELDS: &[Selectable] = &[("status.successful", &["status.succeeded"], "0")];
const SIGNER_FIELDS: &[Selectable] = &[("spec.signerName", &["spec.signerName"], "")];
const POD_CERTIFICATE_FIELDS: &[Selectable] = &[
    ("spec.signerName", &["spec.signerName"], ""),
    ("spec.podName", &["spec.podName"], ""),
    ("spec.nodeName", &["spec.nodeName"], ""),
];
const RESOURCE_SLICE_FIELDS: &[Selectable] =
    &[("spec.nodeName", &["spec.nodeName"], ""), ("spec.driver", &["spec.driver"], "")];
const EVENT_FIELDS: &[Selectable] = &[
    ("involvedObject.kind", &["involvedObject.kind"], ""),
    ("involvedObject.namespace", &["involvedObject.namespace"], ""),
    ("involvedObject.name", &["involvedObject.name"], ""),
    ("involvedObject.uid", &["involvedObject.uid"], ""),
    ("involvedObject.apiVersion", &["involvedObject.apiVersion"], ""),
    ("involvedObject.resourceVersion", &["involvedObject.resourceVersion"], ""),
    ("involvedObject.fieldPath", &["involvedObject.fieldPath"], ""),
    ("reason", &["reason"], ""),
    ("reportingComponent", &["reportingComponent"], ""),
    ("source", &["source.component", "reportingComponent"], ""),
    ("type", &["type"], ""),
];
/// Their paths are those of `v1`, in which events are stored.
const NEW_EVENT_FIELDS: &[Selectable] = &[
    ("reason", &["reason"], ""),
    ("regarding.kind", &["involvedObject.kind"], ""),
    ("regarding.namespace", &["involvedObject.namespace"], ""),
    ("regarding.name", &["involvedObject.name"], ""),
    ("regarding.uid", &["involvedObject.uid"], ""),
    ("regarding.apiVersion", &["involvedObject.apiVersion"], ""),
    ("regarding.resourceVersion", &["involvedObject.resourceVersion"], ""),
    ("regarding.fieldPath", &["involvedObject.fieldPath"], ""),
    ("reportingController", &["reportingComponent"], ""),
    ("type", &["type"], ""),
];

/// In the order in which the server prefers the groups; the core group first.
pub(super) const GROUPS: &[Group] = &[
    Group {
        name: "",
        versions: &["v1"],
        kinds: &[
            namespaced("bindings", "Binding").only(&[Create]),
            cluster("componentstatuses", "ComponentStatus").short(&["cs"]).only(&[Get, List]),
            namespaced("configmaps", "ConfigMap").short(&["cm"]),
            namespaced("endpoints", "Endpoints").short(&["ep"]).put_creates(),
            namespaced("events", "Event")
                .short(&["ev"])
                .fields(Label, EVENT_FIELDS)
                .other_fields(NEW_EVENT_FIELDS)
                .put_creates()
                .uncached(),
            namespaced("limitranges", "LimitRange").short(&["limits"]).put_creates(),
            cluster("namespaces", "Namespace")
                .short(&["ns"])
                .only(&[Create, Delete, Get, List, Patch, Update, Watch])
                .with(&[FINALIZE, STATUS])
                .fields(Label, NAMESPACE_FIELDS)
                .answers_deleted(),
            cluster("nodes", "Node").short(&["no"]).with(&[NODE_PROXY, STATUS]).fields(Label, NODE_FIELDS),
            namespaced("persistentvolumeclaims", "PersistentVolumeClaim")
                .short(&["pvc"])
                .with(&[STATUS])
                .answers_deleted(),
            cluster("persistentvolumes", "PersistentVolume").short(&["pv"]).with(&[STATUS]).answers_deleted(),
            namespaced("pods", "Pod")
                .short(&["po"])
                .in_all()
                .with(&[
                    ATTACH,
                    BINDING,
                    EPHEMERAL_CONTAINERS,
                    EVICTION,
                    EXEC,
                    LOG,
                    PORT_FORWARD,
                    POD_PROXY,
                    RESIZE,
                    STATUS,
                ])
                .fields(Label, POD_FIELDS)
                .counts_changes()
                .answers_deleted(),
            namespaced("podtemplates", "PodTemplate").counts_changes().answers_deleted(),
            namespaced("replicationcontrollers", "ReplicationController")
                .short(&["rc"])
                .in_all()
                .with(&[SCALE, STATUS])
                .fields(Label, REPLICATION_CONTROLLER_FIELDS)
                .counts_changes(),
            namespaced("resourcequotas", "ResourceQuota").short(&["quota"]).with(&[STATUS]).answers_deleted(),
            namespaced("secrets", "Secret").fields(Label, SECRET_FIELDS),
            namespaced("serviceaccounts", "ServiceAccount").short(&["sa"]).with(&[TOKEN]).answers_deleted(),
            namespaced("services", "Service")
                .short(&["svc"])
                .in_all()
                .with(&[SERVICE_PROXY, STATUS])
                .fields(Label, SERVICE_FIELDS)
                .answers_deleted()
                .put_creates(),
        ],
    },
    Group {
        name: "apiregistration.k8s.io",
        versions: &["v1"],
        kinds: &[cluster("apiservices", "APIService")
            .categories(&["api-extensions"])
            .with(&[STATUS])
            .put_needs_version()],
    },
    Group {
        name: "apps",
        versions: &["v1"],
        kinds: &[
            namespaced("controllerrevisions", "ControllerRevision"),
            namespaced("daemonsets", "DaemonSet").short(&["ds"]).in_all().with(&[STATUS]).counts_changes(),
            namespaced("deployments", "Deployment")
                .short(&["deploy"])
                .in_all()
                .with(&[SCALE, STATUS])
                .generation(Generation::ContentAnd("annotations")),
            namespaced("replicasets", "ReplicaSet")
                .short(&["rs"])
                .in_all()
                .with(&[SCALE, STATUS])
                .counts_changes(),
            namespaced("statefulsets", "StatefulSet")
                .short(&["sts"])
                .in_all()
                .with(&[SCALE, STATUS])
                .counts_changes(),
        ],
    },
    Group {
        name: "events.k8s.io",
        versions: &["v1"],
        kinds: &[namespaced("events", "Event")
            .short(&["ev"])
            .fields(Label, NEW_EVENT_FIELDS)
            .other_fields(EVENT_FIELDS)
            .put_creates()
            .uncached()],
    },
    Group {
        name: "authentication.k8s.io",
        versions: &["v1"],
        kinds: &[
            cluster("selfsubjectreviews", "SelfSubjectReview").only(&[Create]),
            cluster("tokenreviews", "TokenReview").only(&[Create]),
        ],
    },
    Group {
        name: "authorization.k8s.io",
        versions: &["v1"],
        kinds: &[
            namespaced("localsubjectaccessreviews", "LocalSubjectAccessReview").only(&[Create]),
            cluster("selfsubjectaccessreviews", "SelfSubjectAccessReview").only(&[Create]),
            cluster("selfsubjectrulesreviews", "SelfSubjectRulesReview").only(&[Create]),
            cluster("subjectaccessreviews", "SubjectAccessReview").only(&[Create]),
        ],
    },
    Group {
        name: "autoscaling",
        versions: &["v2", "v1"],
        kinds: &[namespaced("horizontalpodautoscalers", "HorizontalPodAutoscaler")
            .short(&["hpa"])
            .in_all()
            .with(&[STATUS])],
    },
    Group {
        name: "batch",
        versions: &["v1"],
        kinds: &[
            namespaced("cronjobs", "CronJob").short(&["cj"]).in_all().with(&[STATUS]).counts_changes(),
            namespaced("jobs", "Job")
                .in_all()
                .with(&[STATUS])
                .fields(QuotedLabelAndKind, JOB_FIELDS)
                .counts_changes(),
        ],
    },
    Group {
        name: "certificates.k8s.io",
        versions: &["v1", "v1beta1", "v1alpha1"],
        kinds: &[
            cluster("certificatesigningrequests", "CertificateSigningRequest")
                .versions(&["v1"])
                .short(&["csr"])
                .with(&[APPROVAL, STATUS])
                .fields(Label, SIGNER_FIELDS),
            cluster("clustertrustbundles", "ClusterTrustBundle")
                .versions(&["v1beta1", "v1alpha1"])
                .other_releases(&["v1"])
                .fields(Label, SIGNER_FIELDS)
                .put_needs_version(),
            namespaced("podcertificaterequests", "PodCertificateRequest")
                .versions(&["v1beta1"])
                .other_releases(&["v1", "v1alpha1"])
                .with(&[STATUS])
                .fields(Label, POD_CERTIFICATE_FIELDS)
                .put_needs_version(),
        ],
    },
    Group {
        name: "networking.k8s.io",
        versions: &["v1", "v1beta1"],
        kinds: &[
            cluster("ingressclasses", "IngressClass").versions(&["v1"]).counts_changes(),
            namespaced("ingresses", "Ingress")
                .versions(&["v1"])
                .short(&["ing"])
                .with(&[STATUS])
                .counts_changes(),
            cluster("ipaddresses", "IPAddress").short(&["ip"]),
            namespaced("networkpolicies", "NetworkPolicy")
                .versions(&["v1"])
                .short(&["netpol"])
                .counts_changes(),
            cluster("servicecidrs", "ServiceCIDR").with(&[STATUS]),
        ],
    },
    Group {
        name: "policy",
        versions: &["v1"],
        kinds: &[namespaced("poddisruptionbudgets", "PodDisruptionBudget")
            .short(&["pdb"])
            .with(&[STATUS])
            .counts_changes()
            .put_needs_version()],
    },
    Group {
        name: "rbac.authorization.k8s.io",
        versions: &["v1"],
        kinds: &[
            cluster("clusterrolebindings", "ClusterRoleBinding").put_creates(),
            cluster("clusterroles", "ClusterRole").put_creates(),
            namespaced("rolebindings", "RoleBinding").put_creates(),
            namespaced("roles", "Role").put_creates(),
        ],
    },
    Group {
        name: "storage.k8s.io",
        versions: &["v1", "v1beta1", "v1alpha1"],
        kinds: &[
            cluster("csidrivers", "CSIDriver").versions(&["v1"]).answers_deleted().put_needs_version(),
            cluster("csinodes", "CSINode").versions(&["v1"]).answers_deleted().put_needs_version(),
            namespaced("csistoragecapacities", "CSIStorageCapacity").versions(&["v1"]).put_needs_version(),
            cluster("storageclasses", "StorageClass").versions(&["v1"]).short(&["sc"]).answers_deleted(),
            cluster("volumeattachments", "VolumeAttachment")
                .versions(&["v1"])
                .with(&[STATUS])
                .answers_deleted()
                .put_needs_version(),
            cluster("volumeattributesclasses", "VolumeAttributesClass")
                .versions(&["v1", "v1beta1"])
                .other_releases(&["v1alpha1"])
                .short(&["vac"])
                .answers_deleted(),
        ],
    },
    Group {
        name: "admissionregistration.k8s.io",
        versions: &["v1", "v1beta1", "v1alpha1"],
        kinds: &[
            cluster("mutatingadmissionpolicies", "MutatingAdmissionPolicy")
                .categories(&["api-extensions"])
                .counts_changes()
                .put_needs_version(),
            cluster("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding")
                .categories(&["api-extensions"])
                .counts_changes()
                .put_needs_version(),
            cluster("mutatingwebhookconfigurations", "MutatingWebhookConfiguration")
                .versions(&["v1"])
                .categories(&["api-extensions"])
                .counts_changes()
                .put_needs_version(),
            cluster("validatingadmissionpolicies", "ValidatingAdmissionPolicy")
                .versions(&["v1"])
                .other_releases(&["v1beta1"])
                .categories(&["api-extensions"])
                .with(&[STATUS])
                .counts_changes()
                .put_needs_version(),
            cluster("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding")
                .versions(&["v1"])
                .other_releases(&["v1beta1"])
                .categories(&["api-extensions"])
                .counts_changes()
                .put_needs_version(),
            cluster("validatingwebhookconfigurations", "ValidatingWebhookConfiguration")
                .versions(&["v1"])
                .categories(&["api-extensions"])
                .counts_changes()
                .put_needs_version(),
        ],
    },
    Group {
        name: "apiextensions.k8s.io",
        versions: &["v1"],
        kinds: &[cluster("customresourcedefinitions", "CustomResourceDefinition")
            .short(&["crd", "crds"])
            .categories(&["api-extensions"])
            .with(&[STATUS])
            .counts_changes()
            .put_needs_version()],
    },
    Group {
        name: "scheduling.k8s.io",
        versions: &["v1", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"],
        kinds: &[
            namespaced("compositepodgroups", "CompositePodGroup")
                .other_releases(&["v1alpha3"])
                .with(&[STATUS]),
            namespaced("podgroups", "PodGroup")
                .versions(&["v1alpha2"])
                .other_releases(&["v1beta1", "v1alpha3"])
                .with(&[STATUS]),
            cluster("priorityclasses", "PriorityClass")
                .versions(&["v1"])
                .short(&["pc"])
                .generation(Generation::Fixed),
            namespaced("workloads", "Workload")
                .versions(&["v1alpha2"])
                .other_releases(&["v1beta1", "v1alpha3", "v1alpha1"]),
        ],
    },
    Group {
        name: "coordination.k8s.io",
        versions: &["v1", "v1beta1", "v1alpha2"],
        kinds: &[
            namespaced("leasecandidates", "LeaseCandidate")
                .versions(&["v1beta1", "v1alpha2"])
                .put_creates()
                .put_needs_version(),
            namespaced("leases", "Lease").versions(&["v1"]).put_creates().put_needs_version(),
        ],
    },
    Group {
        name: "node.k8s.io",
        versions: &["v1"],
        kinds: &[cluster("runtimeclasses", "RuntimeClass").put_creates().put_needs_version()],
    },
    Group {
        name: "discovery.k8s.io",
        versions: &["v1"],
        kinds: &[namespaced("endpointslices", "EndpointSlice").generation(Generation::ContentAnd("labels"))],
    },
    Group {
        name: "resource.k8s.io",
        versions: &["v1", "v1beta2", "v1beta1", "v1alpha3"],
        kinds: &[
            cluster("deviceclasses", "DeviceClass")
                .versions(&["v1", "v1beta2", "v1beta1"])
                .other_releases(&["v1alpha3"])
                .counts_changes()
                .answers_deleted(),
            cluster("devicetaintrules", "DeviceTaintRule")
                .versions(&["v1beta2", "v1alpha3"])
                .other_releases(&["v1"])
                .with(&[STATUS])
                .counts_changes()
                .answers_deleted(),
            namespaced("resourceclaims", "ResourceClaim")
                .versions(&["v1", "v1beta2", "v1beta1"])
                .other_releases(&["v1alpha3"])
                .with(&[STATUS])
                .answers_deleted(),
            namespaced("resourceclaimtemplates", "ResourceClaimTemplate")
                .versions(&["v1", "v1beta2", "v1beta1"])
                .other_releases(&["v1alpha3"])
                .answers_deleted(),
            cluster("resourcepoolstatusrequests", "ResourcePoolStatusRequest")
                .versions(&["v1alpha3"])
                .with(&[STATUS])
                .answers_deleted()
                .put_needs_version(),
            cluster("resourceslices", "ResourceSlice")
                .versions(&["v1", "v1beta2", "v1beta1"])
                .other_releases(&["v1alpha3"])
                .fields(LabelForKind, RESOURCE_SLICE_FIELDS)
                .counts_changes()
                .answers_deleted(),
        ],
    },
    Group {
        name: "flowcontrol.apiserver.k8s.io",
        versions: &["v1"],
        kinds: &[
            cluster("flowschemas", "FlowSchema").with(&[STATUS]).counts_changes(),
            cluster("prioritylevelconfigurations", "PriorityLevelConfiguration")
                .with(&[STATUS])
                .counts_changes(),
        ],
    },
    Group {
        name: "internal.apiserver.k8s.io",
        versions: &["v1alpha1"],
        kinds: &[cluster("storageversions", "StorageVersion").with(&[STATUS]).put_needs_version()],
    },
    Group {
        name: "storagemigration.k8s.io",
        versions: &["v1", "v1beta1", "v1alpha1"],
        kinds: &[cluster("storageversionmigrations", "StorageVersionMigration")
            .versions(&["v1beta1"])
            .other_releases(&["v1", "v1alpha1"])
            .with(&[STATUS])
            .put_needs_version()],
    },
    Group {
        name: "lifecycle.k8s.io",
        versions: &["v1alpha1"],
        kinds: &[
            namespaced("evictionrequests", "EvictionRequest").other_releases(&["v1alpha1"]).with(&[STATUS]),
            namespaced("evictions", "Eviction").other_releases(&["v1alpha1"]).with(&[STATUS]),
        ],
    },
];

use std::collections::HashSet;

use k8s_openapi::api::{
    admissionregistration, apps, authentication, authorization, autoscaling, batch, certificates,
    coordination, core, discovery, events, flowcontrol, lifecycle, networking, node, policy, rbac, resource,
    scheduling, storage, storagemigration,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, ResourceScope};

use super::*;
use crate::kinds::Registry;

trait Scope: ResourceScope {
    const NAMESPACED: bool;
}

impl Scope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

impl Scope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

fn check<K: k8s_openapi::Resource<Scope: Scope>>() {
    let found = Registry::new().find(K::GROUP, K::VERSION, K::URL_PATH_SEGMENT);
    let found = found.unwrap_or_else(|| panic!("{} {} is missing", K::API_VERSION, K::KIND));
    assert_eq!((&*found.kind, &*found.api_version()), (K::KIND, K::API_VERSION));
    assert_eq!(found.namespaced, <K::Scope as Scope>::NAMESPACED, "{}", K::KIND);
}

macro_rules! check_all {
    ($($kind:path),* $(,)?) => { $(check::<$kind>();)* };
}

#[test]
fn every_kind_of_k8s_openapi_is_in_the_table() {
    check_all!(
        admissionregistration::v1::MutatingAdmissionPolicy,
        admissionregistration::v1::MutatingAdmissionPolicyBinding,
        admissionregistration::v1::MutatingWebhookConfiguration,
        admissionregistration::v1::ValidatingAdmissionPolicy,
        admissionregistration::v1::ValidatingAdmissionPolicyBinding,
        admissionregistration::v1::ValidatingWebhookConfiguration,
        apiextensions::v1::CustomResourceDefinition,
        apiregistration::v1::APIService,
        apps::v1::ControllerRevision,
        apps::v1::DaemonSet,
        apps::v1::Deployment,
        apps::v1::ReplicaSet,
        apps::v1::StatefulSet,
        authentication::v1::SelfSubjectReview,
        authentication::v1::TokenReview,
        authorization::v1::LocalSubjectAccessReview,
        authorization::v1::SelfSubjectAccessReview,
        authorization::v1::SelfSubjectRulesReview,
        authorization::v1::SubjectAccessReview,
        autoscaling::v1::HorizontalPodAutoscaler,
        autoscaling::v2::HorizontalPodAutoscaler,
        batch::v1::CronJob,
        batch::v1::Job,
        certificates::v1::CertificateSigningRequest,
        certificates::v1::ClusterTrustBundle,
        certificates::v1::PodCertificateRequest,
        coordination::v1::Lease,
        coordination::v1beta1::LeaseCandidate,
        core::v1::Binding,
        core::v1::ComponentStatus,
        core::v1::ConfigMap,
        core::v1::Endpoints,
        core::v1::Event,
        core::v1::LimitRange,
        core::v1::Namespace,
        core::v1::Node,
        core::v1::PersistentVolume,
        core::v1::PersistentVolumeClaim,
        core::v1::Pod,
        core::v1::PodTemplate,
        core::v1::ReplicationController,
        core::v1::ResourceQuota,
        core::v1::Secret,
        core::v1::Service,
        core::v1::ServiceAccount,
        discovery::v1::EndpointSlice,
        events::v1::Event,
        flowcontrol::v1::FlowSchema,
        flowcontrol::v1::PriorityLevelConfiguration,
        lifecycle::v1alpha1::Eviction,
        lifecycle::v1alpha1::EvictionRequest,
        networking::v1::IPAddress,
        networking::v1::Ingress,
        networking::v1::IngressClass,
        networking::v1::NetworkPolicy,
        networking::v1::ServiceCIDR,
        node::v1::RuntimeClass,
        policy::v1::PodDisruptionBudget,
        rbac::v1::ClusterRole,
        rbac::v1::ClusterRoleBinding,
        rbac::v1::Role,
        rbac::v1::RoleBinding,
        resource::v1::DeviceClass,
        resource::v1::DeviceTaintRule,
        resource::v1::ResourceClaim,
        resource::v1::ResourceClaimTemplate,
        resource::v1::ResourceSlice,
        scheduling::v1::PriorityClass,
        scheduling::v1alpha3::CompositePodGroup,
        scheduling::v1beta1::PodGroup,
        scheduling::v1beta1::Workload,
        storage::v1::CSIDriver,
        storage::v1::CSINode,
        storage::v1::CSIStorageCapacity,
        storage::v1::StorageClass,
        storage::v1::VolumeAttachment,
        storage::v1::VolumeAttributesClass,
        storagemigration::v1::StorageVersionMigration,
    );
}

#[test]
fn no_path_leads_to_two_kinds_and_every_version_of_a_group_has_some() {
    let mut paths = HashSet::new();
    for resource in resources() {
        let path = (resource.group.clone(), resource.version.clone(), resource.plural.clone());
        assert!(paths.insert(path), "{} twice", resource.qualified());
    }
    for group in GROUPS {
        for version in group.versions {
            let served = group.kinds.iter().filter(|kind| kind.is_served_in(version)).count();
            assert!(served > 0, "nothing in {}/{version}", group.name);
        }
        for kind in group.kinds {
            for version in kind.versions.iter().chain(kind.other_releases) {
                assert!(group.versions.contains(version), "{} in {version}", kind.plural);
            }
            assert!(kind.verbs.is_sorted(), "{}", kind.plural);
        }
        assert!(group.kinds.is_sorted_by_key(|kind| kind.plural), "{}", group.name);
    }
}

#[test]
fn kinds_differ_in_how_they_are_written_and_deleted() {
    let registry = Registry::new();
    let find = |group: &str, plural: &str| registry.find(group, "v1", plural).unwrap();
    for (group, plural, generation) in [
        ("", "configmaps", Generation::None),
        ("", "pods", Generation::Content),
        ("apps", "deployments", Generation::ContentAnd("annotations")),
        ("scheduling.k8s.io", "priorityclasses", Generation::Fixed),
    ] {
        assert_eq!(find(group, plural).generation, generation, "{plural}");
    }
    for (group, plural, answers_object, put_creates, put_needs_version) in [
        ("", "configmaps", false, false, false),
        ("", "pods", true, false, false),
        ("", "services", true, true, false),
        ("coordination.k8s.io", "leases", false, true, true),
        ("policy", "poddisruptionbudgets", false, false, true),
    ] {
        let resource = find(group, plural);
        assert_eq!(resource.delete_answers_object, answers_object, "{plural}");
        assert_eq!(resource.create_on_update, put_creates, "{plural}");
        assert_eq!(resource.unconditional_update, !put_needs_version, "{plural}");
    }
    assert!(!find("", "events").cached && !find("events.k8s.io", "events").cached && find("", "pods").cached);
    assert!(find("", "pods").is_stored() && !find("", "bindings").is_stored());
}

#[test]
fn fields_to_select_by_are_those_of_the_kind() {
    let registry = Registry::new();
    let find = |group: &str, plural: &str| registry.find(group, "v1", plural).unwrap();
    let pods = find("", "pods");
    let nodes = find("", "nodes");
    let configmaps = find("", "configmaps");
    for label in ["metadata.name", "metadata.namespace", "spec.nodeName", "status.phase", "spec.hostNetwork"]
    {
        assert_eq!(&*pods.field(label).unwrap().label, label);
    }
    assert_eq!(*pods.field("spec.host").unwrap().paths, ["spec.nodeName".into()], "an old name");
    assert_eq!(pods.field("status.phase").unwrap().default, "Pending");
    assert_eq!(*find("batch", "jobs").field("status.successful").unwrap().paths, ["status.succeeded".into()]);

    let refused = |resource: &Resource, label: &str| {
        let error = resource.field(label).unwrap_err();
        assert_eq!((error.code, error.reason), (400, "BadRequest"));
        error.message
    };
    assert_eq!(refused(&pods, "spec.foo"), "field label not supported: spec.foo");
    assert_eq!(refused(&nodes, "metadata.namespace"), "field label not supported: metadata.namespace");
    assert_eq!(
        refused(&configmaps, "spec.foo"),
        "\"spec.foo\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
    );
    assert_eq!(refused(&find("batch", "jobs"), "spec.foo"), "field label \"spec.foo\" not supported for Job");
    assert_eq!(
        refused(&find("resource.k8s.io", "resourceslices"), "spec.foo"),
        "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.foo"
    );
}

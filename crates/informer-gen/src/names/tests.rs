use super::*;

#[test]
fn functions_are_plurals_whose_words_are_kept_apart() {
    for (kind, plural, function) in [
        ("Pod", "pods", "pods"),
        ("ReplicaSet", "replicasets", "replica_sets"),
        ("NetworkPolicy", "networkpolicies", "network_policies"),
        ("Endpoints", "endpoints", "endpoints"),
        ("CSIDriver", "csidrivers", "csi_drivers"),
        ("CSIStorageCapacity", "csistoragecapacities", "csi_storage_capacities"),
        ("ServiceCIDR", "servicecidrs", "service_cidrs"),
        ("IPAddress", "ipaddresses", "ip_addresses"),
        ("K8sCluster", "k8sclusters", "k8s_clusters"),
        ("HotPerson", "hotpeople", "hot_people"),
        ("FooBar", "foo", "foo"),
        ("Widget", "my-gadgets", "my_gadgets"),
        ("Typ", "type", "type_"),
    ] {
        assert_eq!(plural_function(kind, plural), function, "{kind}");
    }
}

#[test]
fn plurals_are_those_of_the_derive() {
    for (singular, plural) in [
        ("widget", "widgets"),
        ("class", "classes"),
        ("box", "boxes"),
        ("batch", "batches"),
        ("policy", "policies"),
        ("gateway", "gateways"),
        ("y", "ys"),
    ] {
        assert_eq!(plural_of(singular), plural);
    }
}

#[test]
fn groups_become_functions_and_types() {
    for (group, function, name) in [
        ("example.com", "example_com", "ExampleCom"),
        ("my-group.example.com", "my_group_example_com", "MyGroupExampleCom"),
        ("3scale.net", "g3scale_net", "G3scaleNet"),
        ("async", "async_", "Async"),
    ] {
        assert_eq!((group_function(group).as_str(), type_name(group).as_str()), (function, name));
    }
}

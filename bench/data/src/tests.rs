use std::collections::HashSet;

use serde_json::Value;

use crate::{Format, Kind, World, WorldOptions};

fn world(kind: Kind, objects: u64) -> World {
    World::new(kind, WorldOptions { seed: 1, objects, namespaces: 20, owned: 0 })
}

fn rendered(world: &World, format: Format, object: u64, version: u64) -> Vec<u8> {
    let mut out = Vec::new();
    world.render(format, object, version, &mut out);
    out
}

fn json(world: &World, object: u64, version: u64) -> Value {
    let mut text = b"{".to_vec();
    world.render(Format::Json, object, version, &mut text);
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn every_object_is_json_without_a_hole_left() {
    for kind in Kind::ALL {
        let world = world(kind, 1_500);
        for object in 0..1_500 {
            let text = json(&world, object, object % 3).to_string();
            assert!(!text.contains('~'), "{text}");
        }
    }
}

#[test]
fn uids_and_names_are_unique() {
    let world = world(Kind::Pods, 20_000);
    let (mut uids, mut names) = (HashSet::new(), HashSet::new());
    for object in 0..20_000 {
        let pod = json(&world, object, 0);
        uids.insert(pod["metadata"]["uid"].to_string());
        names.insert(pod["metadata"]["name"].to_string());
    }
    assert_eq!((uids.len(), names.len()), (20_000, 20_000));
}

#[test]
fn pods_are_as_large_as_those_of_busy_clusters() {
    let world = world(Kind::Pods, 20_000);
    let sizes: Vec<usize> = (0..20_000).map(|object| world.size(Format::Json, object)).collect();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!((8_000..9_500).contains(&mean), "mean {mean}, from {least} to {most}");
    assert!(*least < 6_000 && (25_000..45_000).contains(most), "mean {mean}, from {least} to {most}");
}

#[test]
fn a_version_changes_some_of_an_object_and_all_is_repeatable() {
    for kind in Kind::ALL {
        let (world, again) = (world(kind, 100), world(kind, 100));
        let (before, after) = (json(&world, 7, 0), json(&world, 7, 42));
        assert_eq!(before["metadata"]["uid"], after["metadata"]["uid"]);
        assert_eq!(after["metadata"]["resourceVersion"], world.resource_version(7, 42).to_string());
        let without_version = |mut object: Value| {
            object["metadata"]["resourceVersion"] = Value::Null;
            object["metadata"]["managedFields"] = Value::Null;
            object
        };
        assert_ne!(without_version(before), without_version(after));
        assert_eq!(rendered(&world, Format::Json, 7, 42), rendered(&again, Format::Json, 7, 42));
    }
}

#[test]
fn namespaces_divide_the_objects() {
    let world = world(Kind::Pods, 1_234);
    let mut next = 0;
    for number in 0..20 {
        let name = format!("team-{number:05}");
        let range = world.objects_of_namespace(&name).unwrap();
        assert_eq!(range.start, next);
        next = range.end;
        for object in [range.start, range.end - 1] {
            assert_eq!(json(&world, object, 0)["metadata"]["namespace"], name);
        }
    }
    assert_eq!(next, 1_234);
    assert!(world.objects_of_namespace("team-00020").is_none());
}

#[test]
fn sizes_are_known_before_rendering_and_protobuf_has_the_same_values() {
    for kind in Kind::ALL.into_iter().filter(|kind| kind.has_protobuf()) {
        let world = world(kind, 600);
        for object in 0..600 {
            let message = rendered(&world, Format::Protobuf, object, 1);
            assert_eq!(message.len(), world.size(Format::Protobuf, object));
            let document = json(&world, object, 1);
            for field in ["name", "uid", "resourceVersion", "namespace"] {
                let value = document["metadata"][field].as_str().unwrap().as_bytes();
                assert!(message.windows(value.len()).any(|window| window == value), "{field} of {object}");
            }
        }
    }
}

#[test]
fn pods_name_the_replica_set_that_owns_them() {
    let world = |kind, objects| World::new(kind, WorldOptions { seed: 1, objects, namespaces: 7, owned: 3 });
    let (owners, pods) = (world(Kind::ReplicaSets, 400), world(Kind::Pods, 1_200));
    for object in 0..1_200 {
        let (owner, pod) = (json(&owners, object / 3, 5), json(&pods, object, 0));
        let (owner, pod) = (&owner["metadata"], &pod["metadata"]);
        let reference = &pod["ownerReferences"][0];
        assert_eq!((&owner["name"], &owner["uid"]), (&reference["name"], &reference["uid"]));
        assert_eq!(owner["namespace"], pod["namespace"]);
        assert_eq!(pods.owner_uid(object), owner["uid"]);
    }
}

#[test]
fn small_kinds_are_small() {
    let mean = |kind| {
        let world = world(kind, 20_000);
        (0..20_000).map(|object| world.size(Format::Json, object)).sum::<usize>() / 20_000
    };
    let sizes = [Kind::Events, Kind::Leases, Kind::EndpointSlices].map(mean);
    assert!((1_100..1_500).contains(&sizes[0]), "{sizes:?}");
    assert!((500..900).contains(&sizes[1]), "{sizes:?}");
    assert!((2_000..4_500).contains(&sizes[2]), "{sizes:?}");
}

#[test]
fn an_event_counts_and_a_lease_is_renewed_to_the_microsecond() {
    let (events, leases) = (world(Kind::Events, 100), world(Kind::Leases, 100));
    let counts: Vec<u64> =
        (0..50).map(|version| json(&events, 7, version)["count"].as_u64().unwrap()).collect();
    assert!(counts.iter().all(|count| (1_000..10_000).contains(count)), "{counts:?}");
    assert!(counts.windows(2).all(|pair| pair[0] != pair[1]), "{counts:?}");
    let times: Vec<String> = [1, 2]
        .map(|version| json(&leases, 7, version)["spec"]["renewTime"].as_str().unwrap().to_owned())
        .into();
    assert!(times.iter().all(|time| time.len() == "2026-01-01T00:00:00.000000Z".len()), "{times:?}");
    assert!(times.iter().all(|time| &time[19..20] == "." && time.ends_with('Z')), "{times:?}");
    assert_ne!(times[0][19..], times[1][19..]);
}

#[test]
fn the_endpoints_of_a_slice_differ_and_the_first_is_replaced() {
    let world = world(Kind::EndpointSlices, 2_000);
    let addresses = |object, version| -> Vec<String> {
        let slice = json(&world, object, version);
        let endpoints = slice["endpoints"].as_array().unwrap().clone();
        endpoints.iter().map(|endpoint| endpoint["addresses"][0].to_string()).collect()
    };
    let large = (0..2_000).find(|object| addresses(*object, 0).len() > 10).unwrap();
    let (before, after) = (addresses(large, 1), addresses(large, 2));
    assert_eq!(before.iter().collect::<HashSet<_>>().len(), before.len());
    assert_ne!(before[0], after[0]);
    assert_eq!(before[1..], after[1..]);
}

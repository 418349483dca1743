use super::*;

#[test]
fn b_200_key_is_namespace_slash_name_or_name() {
    assert_eq!(ObjectKey::namespaced("default", "web").to_string(), "default/web");
    assert_eq!(ObjectKey::cluster("node-1").to_string(), "node-1");
    assert_eq!(ObjectKey::namespaced("", "web"), ObjectKey::cluster("web"));
}

#[test]
fn b_201_keys_split_into_one_or_two_parts() {
    assert_eq!("a/b".parse::<ObjectKey>().unwrap(), ObjectKey::namespaced("a", "b"));
    assert_eq!("b".parse::<ObjectKey>().unwrap(), ObjectKey::cluster("b"));
    assert_eq!("/b".parse::<ObjectKey>().unwrap(), ObjectKey::cluster("b"));
    for bad in ["a/b/c", "", "a/"] {
        let error = bad.parse::<ObjectKey>().unwrap_err();
        assert!(error.to_string().contains("namespace/name"), "{error}");
    }
}

#[test]
fn keys_are_equal_by_their_texts_wherever_these_are() {
    let (a, b) = (ObjectKey::namespaced("default", "web"), ObjectKey::namespaced("default", "web"));
    assert_eq!(a, b);
    assert_eq!(a, a.clone());
    assert_eq!(KeyRef::new(Some("default"), "web"), KeyRef::from(&a));
    assert_eq!(KeyRef::new(None, "web"), KeyRef::from(&ObjectKey::namespaced("", "web")));
    let map = std::collections::HashMap::from([(a, 1)]);
    assert_eq!(map.get(&b), Some(&1));
    for other in [ObjectKey::namespaced("default", "we"), ObjectKey::namespaced("defaultw", "eb")] {
        assert_ne!(b, other);
        assert!(!map.contains_key(&other));
    }
}

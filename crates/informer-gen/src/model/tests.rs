use super::*;

/// A kind from `group version Kind plural`, at a line of its own.
fn kind(text: &str, line: usize) -> KindSpec {
    let [group, version, kind, plural] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    KindSpec {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        plural: plural.into(),
        scope: SpecScope::Namespaced,
        type_path: format!("crate::{kind}"),
        indexes: Vec::new(),
        availability: Availability::ALWAYS,
        place: Place::file("k").at(line, 1),
    }
}

fn kinds(texts: &[&str]) -> Vec<KindSpec> {
    texts.iter().enumerate().map(|(index, text)| kind(text, index + 1)).collect()
}

fn problems(texts: &[&str]) -> String {
    Model::of_custom_kinds(kinds(texts)).unwrap_err().to_string()
}

fn problems_with(change: impl FnOnce(&mut KindSpec)) -> String {
    let mut kinds = kinds(&["a.io v1 Widget widgets"]);
    change(&mut kinds[0]);
    Model::of_custom_kinds(kinds).unwrap_err().to_string()
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let mut kinds = kinds(&["b.io v1 B bs", "a.io v1 D ds", "a.io v1beta1 C cs", "a.io v1 C cs"]);
    let index = |name: &str| IndexSpec {
        name: name.into(),
        path: "spec.x".into(),
        value_type: "String".into(),
        place: Place::file("k"),
    };
    kinds[0].indexes = vec![index("x"), index("y")];
    let model = Model::of_custom_kinds(kinds.clone()).unwrap();
    kinds.reverse();
    kinds[3].indexes.reverse();
    let reversed = Model::of_custom_kinds(kinds).unwrap();
    assert_eq!(model, reversed);
    let order: Vec<String> = model
        .groups()
        .iter()
        .flat_map(Group::kinds)
        .map(|kind| format!("{} {}", kind.api_version(), kind.kind))
        .collect();
    assert_eq!(order, ["a.io/v1 C", "a.io/v1 D", "a.io/v1beta1 C", "b.io/v1 B"]);
}

#[test]
fn built_in_groups_go_by_their_first_word() {
    let model = Model::of_built_in_kinds(kinds(&[
        " v1 Pod pods",
        "apps v1 Deployment deployments",
        "rbac.authorization.k8s.io v1 Role roles",
    ]))
    .unwrap();
    let functions: Vec<&str> = model.groups().iter().map(Group::function).collect();
    assert_eq!(functions, ["core", "apps", "rbac"]);
}

#[test]
fn a_kind_is_there_once() {
    assert_eq!(
        problems(&["a.io v1 Widget widgets", "a.io v1 Widget gizmos", "a.io v2 Widget widgets"]),
        "k:2:1: kind Widget of a.io/v1 is there twice, first at k:1:1"
    );
    assert_eq!(
        problems(&["a.io v1 Widget widgets", "a.io v1 Gizmo widgets"]),
        "k:2:1: plural \"widgets\" of a.io/v1 is there twice, first at k:1:1"
    );
}

#[test]
fn names_that_are_the_same_in_rust_are_told_apart_by_nobody() {
    assert_eq!(
        problems(&["a-b.io v1 A as", "a.b.io v1 A as"]),
        "k:2:1: groups a-b.io and a.b.io are both a_b_io()"
    );
    assert_eq!(
        problems(&["a.io v1 AB a-bs", "a.io v1 ABs a_bs"]).lines().last(),
        Some("k:2:1: kinds AB and ABs both need a_bs()")
    );
}

#[test]
fn groups_of_the_factory_itself_are_taken() {
    assert_eq!(
        problems(&["apps v1 Widget widgets"]),
        "k:1:1: group \"apps\" has accessors on the factory itself: factory.apps()"
    );
    assert_eq!(
        problems(&[" v1 Widget widgets"]),
        "k:1:1: the core group has accessors on the factory itself: factory.core()"
    );
}

#[test]
fn names_that_kubernetes_or_rust_would_not_take_are_refused() {
    for (text, expected) in [
        ("Example.com v1 Widget widgets", "group \"Example.com\" is not a DNS name"),
        ("a..io v1 Widget widgets", "group \"a..io\" is not a DNS name"),
        ("a.io 1 Widget widgets", "version \"1\" is not a version"),
        ("a.io V1 Widget widgets", "version \"V1\" is not a version"),
        ("a.io v1 widget widgets", "kind \"widget\" is not a name in camel case"),
        ("a.io v1 Wid-get widgets", "kind \"Wid-get\" is not a name in camel case"),
        ("a.io v1 Widget Widgets", "plural \"Widgets\" is not the name of a resource"),
        ("a.io v1 Widget 2widgets", "plural \"2widgets\" is not the name of a resource"),
    ] {
        let found = problems(&[text]);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn types_are_named_by_their_whole_path() {
    for path in ["Widget", "super::Widget", "self::Widget", "crate::", "crate::Wid get", ""] {
        let found = problems_with(|kind| kind.type_path = path.into());
        assert!(found.starts_with(&format!("k:1:1: type {path:?} ")), "{found}");
        assert!(found.ends_with("such as crate::Widget or my_kinds::Widget"), "{found}");
    }
}

#[test]
fn indexes_have_names_paths_and_types() {
    let check = |name: &str, path: &str, value_type: &str| {
        let place = Place::file("k").at(7, 1);
        let index = IndexSpec { name: name.into(), path: path.into(), value_type: value_type.into(), place };
        problems_with(|kind| kind.indexes = vec![index.clone(), IndexSpec { name: "other".into(), ..index }])
    };
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        first(check("byNode", "a", "u8")),
        "k:7:1: index \"byNode\" is not a name in snake case, such as node"
    );
    assert_eq!(
        first(check("type", "a", "u8")),
        "k:7:1: index \"type\" is not a name in snake case, such as node"
    );
    assert_eq!(first(check("other", "a", "u8")), "k:7:1: Widget has two indexes \"other\"");
    for (path, problem) in [
        ("a.", "there is no name at 2"),
        ("", "there is no name, as in metadata.name"),
        ("spec[0]", "only names and [*] can stand here, no single elements of a list"),
    ] {
        let expected = format!("k:7:1: {path:?} is not a path to a field: {problem}");
        assert_eq!(first(check("a", path, "u8")), expected);
    }
    assert_eq!(first(check("a", "a", "Vec<")), "k:7:1: \"Vec<\" is not a Rust type");
}

#[test]
fn availability_becomes_macros() {
    let macros = |first, last| Availability { first, last }.macros();
    assert!(macros(None, None).is_empty());
    assert_eq!(macros(Some(34), None), ["k8s_if_ge_1_34"]);
    assert_eq!(macros(None, Some(36)), ["k8s_if_le_1_36"]);
    assert_eq!(macros(Some(35), Some(35)), ["k8s_if_1_35"]);
    assert_eq!(macros(Some(34), Some(36)), ["k8s_if_ge_1_34", "k8s_if_le_1_36"]);
}

#[test]
fn a_version_is_available_whenever_one_of_its_kinds_is() {
    let mut kinds = kinds(&["a.k8s.io v1 A as", "a.k8s.io v1 B bs", "a.k8s.io v2 C cs"]);
    kinds[0].availability = Availability { first: Some(34), last: None };
    kinds[1].availability = Availability { first: Some(35), last: Some(36) };
    let model = Model::of_built_in_kinds(kinds).unwrap();
    let versions: Vec<Availability> = model.groups()[0].versions.iter().map(Version::availability).collect();
    assert_eq!(versions, [Availability { first: Some(34), last: None }, Availability::ALWAYS]);
    assert_eq!(model.groups()[0].availability(), Availability::ALWAYS);
}

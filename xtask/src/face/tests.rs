use serde_json::{Value, json};

use super::*;

/// A crate with a struct, an enum, an error and a trait in private modules, and two modules of the root.
fn described() -> Value {
    let public = |name: &str, inner: Value| json!({ "name": name, "visibility": "public", "attrs": [], "inner": inner });
    let re_export = |name: &str, id: u64| json!({ "name": null, "visibility": "public", "inner": { "use": { "name": name, "id": id, "is_glob": false } } });
    let path = |path: &str, id: u64| json!({ "path": path, "id": id, "args": null });
    let resolved = |name: &str, id: u64| json!({ "resolved_path": path(name, id) });
    let implementation = |of: Value, more: Value| {
        let mut inner = json!({ "trait": of, "items": [], "is_synthetic": false, "blanket_impl": null });
        inner.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "name": null, "visibility": "default", "inner": { "impl": inner } })
    };
    let mut kept = public("Kept", json!({ "enum": { "variants": [], "impls": [] } }));
    kept["attrs"] = json!(["non_exhaustive"]);
    json!({
        "format_version": 57,
        "root": 0,
        "index": {
            "0": public("a_crate", json!({ "module": { "items": [1, 2, 3, 4, 5, 6, 7] } })),
            "1": re_export("Open", 10),
            "2": re_export("Failed", 11),
            "3": re_export("Kept", 12),
            "4": public("groups", json!({ "module": { "items": [13] } })),
            "5": public("status", json!({ "module": { "items": [14] } })),
            "6": { "name": "hidden", "visibility": "crate", "inner": { "module": { "items": [12] } } },
            "7": re_export("Uri", 92),
            "10": public("Open", json!({ "struct": {
                "kind": { "plain": { "fields": [20], "has_stripped_fields": false } }, "impls": [21, 22, 23],
            } })),
            "11": public("Failed", json!({ "struct": { "kind": { "tuple": [null] }, "impls": [24] } })),
            "12": kept,
            "13": public("Pods", json!({ "struct": {
                "kind": { "plain": { "fields": [25], "has_stripped_fields": false } }, "impls": [],
            } })),
            "14": public("Ask", json!({ "trait": { "items": [26], "bounds": [], "implementations": [] } })),
            "20": public("time", json!({ "struct_field": resolved("Vec", 90) })),
            "21": implementation(path("Serialize", 93), json!({})),
            "22": implementation(path("Instrument", 94), json!({ "blanket_impl": { "generic": "T" } })),
            "23": implementation(Value::Null, json!({ "items": [27] })),
            "24": implementation(path("Error", 91), json!({})),
            "25": public("pod", json!({ "struct_field": resolved("Pod", 95) })),
            "26": public("ask", json!({ "function": { "sig": { "inputs": [["x", { "borrowed_ref": {
                "type": { "dyn_trait": { "traits": [{ "trait": path("Stream", 96) }] } },
            } }]], "output": resolved("Open", 10) } } })),
            "27": public("client", json!({ "function": { "sig": { "inputs": [], "output": { "resolved_path": {
                "path": "Option", "id": 90, "args": { "angle_bracketed": { "args": [{ "type": resolved("Client", 97) }] } },
            } } } } })),
        },
        "paths": {
            "10": { "crate_id": 0, "path": ["a_crate", "Open"] },
            "90": { "crate_id": 1, "path": ["alloc", "vec", "Vec"] },
            "91": { "crate_id": 2, "path": ["core", "error", "Error"] },
            "92": { "crate_id": 3, "path": ["http", "uri", "Uri"], "kind": "struct" },
            "93": { "crate_id": 4, "path": ["serde", "ser", "Serialize"] },
            "94": { "crate_id": 5, "path": ["tracing", "Instrument"] },
            "95": { "crate_id": 6, "path": ["k8s_openapi", "Pod"] },
            "96": { "crate_id": 7, "path": ["futures_core", "stream", "Stream"] },
            "97": { "crate_id": 8, "path": ["kube_client", "client", "Client"] },
        },
    })
}

const FOREIGN: &str = "a-list.txt";

const SMALL: Limits = Limits {
    library: "a-crate",
    is_inner: false,
    root: 30,
    types: 62,
    errors: 9,
    foreign: Some(FOREIGN),
    complete: &["Open"],
    misnamed: &["Failed"],
};

fn read() -> Face {
    items::read(&described(), &[GENERATED]).unwrap()
}

#[test]
fn names_and_types_are_counted_where_users_find_them() {
    let face = read();
    let names: Vec<&str> = face.root.iter().map(String::as_str).collect();
    assert_eq!(names, ["Failed", "Kept", "Open", "Uri", "groups", "status"]);
    let types: Vec<&str> = face.types.keys().map(String::as_str).collect();
    assert_eq!(types, ["Failed", "Kept", "Open", "Uri", "status::Ask"]);
    assert_eq!(errors(&face).collect::<Vec<_>>(), ["Failed"]);
    assert_eq!(counts(&face), "6 names in the root, 5 types, 1 of them errors, 4 foreign types");
}

#[test]
fn foreign_types_are_found_in_fields_methods_traits_and_implementations() {
    let face = read();
    let foreign: Vec<&str> = face.foreign.iter().map(String::as_str).collect();
    let expected = [
        "futures_core::stream::Stream",
        "http::uri::Uri",
        "kube_client::client::Client",
        "serde::ser::Serialize",
    ];
    assert_eq!(foreign, expected);
    assert_eq!(face.foreign_aside.iter().collect::<Vec<_>>(), ["k8s_openapi::Pod"]);
}

#[test]
fn every_broken_rule_is_named() {
    let listed =
        "http::uri::Uri # addresses\nserde::ser::Serialize\nkube_client::client::Client\nold::Type\n# more\n";
    let limits = Limits { complete: &["Gone"], misnamed: &["Lost"], ..SMALL };
    let problems = check(&read(), &limits, Some(&foreign_types(listed)));
    assert_eq!(
        problems,
        [
            "Failed is an error, and its name does not say so: call it …Error".to_owned(),
            "Lost is in `misnamed`, and need not be".to_owned(),
            "Open cannot grow without breaking users: make it #[non_exhaustive]".to_owned(),
            "Gone is in `complete`, and need not be".to_owned(),
            format!("futures_core::stream::Stream is in a public signature, and not in {FOREIGN}"),
            format!("old::Type is in {FOREIGN}, and in no public signature"),
        ]
    );
    let mut many = read();
    many.root.extend((0..30).map(|number| format!("Name{number}")));
    let problems = check(&many, &SMALL, Some(&many.foreign));
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("36 names in the root, at most 30: Failed, Kept, Name0"),
        "{}",
        problems[0]
    );
}

#[test]
fn a_library_without_limits_is_told_and_limits_without_a_library() {
    let faces = BTreeMap::from([("new", read())]);
    assert_eq!(
        unknown(&faces, &[SMALL]),
        [
            "new has no limits: see xtask/src/face/limits.rs",
            "a-crate has limits, and is no library that is published"
        ]
    );
}

#[test]
fn types_of_one_name_in_two_libraries_are_told() {
    let mut other = Face::default();
    other.types.insert("inner::Kept".to_owned(), items::Type::default());
    let of = Some("http::uri::Uri".to_owned());
    other.types.insert("Uri".to_owned(), items::Type { of, ..Default::default() });
    let faces = BTreeMap::from([("one", read()), ("two", other)]);
    let problem = "one and two have a type `Kept` each: one of them needs another name, or is not needed";
    assert_eq!(twins(&faces, &[]), [problem]);
    assert_eq!(
        twins(&faces, &[("Kept", "is renamed"), ("Uri", "is gone")]),
        ["`Uri` is in TWINS, and has no twin"]
    );
}

#[test]
fn what_is_named_of_an_inner_crate_is_checked_where_it_is_named() {
    let mut outer = Face::default();
    let of = Some("a_crate::private::Failed".to_owned());
    outer.types.insert("error::Failed".to_owned(), items::Type { of, ..Default::default() });
    outer.foreign.extend(["a_crate::Open".to_owned(), "http::uri::Uri".to_owned()]);
    let of = Some("a_crate::private::Open".to_owned());
    outer.types.insert("Open".to_owned(), items::Type { of, ..Default::default() });
    let mut faces = BTreeMap::from([("a-crate", read()), ("outer", outer)]);
    learn(&mut faces);
    assert_eq!(errors(&faces["outer"]).collect::<Vec<_>>(), ["error::Failed"]);
    // The last two are in methods and implementations of `Open`.
    let foreign: Vec<&str> = faces["outer"].foreign.iter().map(String::as_str).collect();
    assert_eq!(foreign, ["http::uri::Uri", "kube_client::client::Client", "serde::ser::Serialize"]);
    let inner = Limits { is_inner: true, complete: &[], misnamed: &[], ..SMALL };
    assert!(check(&faces["a-crate"], &inner, None).is_empty());
}

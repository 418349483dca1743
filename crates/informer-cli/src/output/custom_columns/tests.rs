use serde_json::json;

use super::*;

#[test]
fn cells_are_what_the_paths_lead_to() {
    let columns = CustomColumns::parse(
        "NAME:.metadata.name,IMAGES:spec.containers[*].image,BOTH:{.metadata['name','uid']},NONE:.no.such,MAP:.map,N:.n",
    );
    let columns = columns.unwrap();
    assert_eq!(columns.titles(), ["NAME", "IMAGES", "BOTH", "NONE", "MAP", "N"]);
    let object = json!({ "metadata": { "name": "web", "uid": "u" }, "n": null, "map": { "b": [1, true], "a": "x" },
        "spec": { "containers": [{ "image": "a" }, { "image": "b" }] } });
    assert_eq!(
        columns.row(&object).unwrap(),
        ["web", "a,b", "web,u", "<none>", "map[a:x b:[1 true]]", "<nil>"]
    );
}

#[test]
fn what_is_not_understood_is_refused() {
    let wrong = |text: &str| CustomColumns::parse(text).unwrap_err();
    assert!(wrong("").contains("NAME:.metadata.name"));
    assert!(wrong("NAME:.metadata.name,").contains("not \"\""));
    assert!(wrong("A:").contains("column A: the path is empty"));
    assert!(wrong("A:.b[").contains("column A: a bracket [ is not closed"));
    let columns = CustomColumns::parse("A:.a[3]").unwrap();
    let error = columns.row(&json!({ "a": [1] })).unwrap_err();
    assert_eq!(error, "column A does not fit the objects: index 3 is outside of a list of 1");
}

use super::*;

const POD: &str = r#"{
    "metadata": { "name": "web-1", "labels": { "app": "web", "a.b/c": "d" } },
    "spec": {
        "nodeName": "node-7",
        "priority": 3,
        "hostname": null,
        "containers": [
            { "name": "main", "ports": [{ "port": 80 }, { "port": 443 }] },
            { "name": "side" },
            "odd"
        ]
    }
}"#;

fn read<V: DeserializeOwned>(path: &str) -> Result<Vec<V>, String> {
    let path = FieldPath::to_read(path).map_err(|error| error.to_string())?;
    values_at(POD.as_bytes(), &path).map_err(|error| error.to_string())
}

#[test]
fn paths_lead_to_values() {
    assert_eq!(read::<String>("spec.nodeName"), Ok(vec!["node-7".into()]));
    assert_eq!(read::<String>("metadata.name"), Ok(vec!["web-1".into()]), "need not be droppable");
    assert_eq!(read::<String>(r#"metadata.labels["a.b/c"]"#), Ok(vec!["d".into()]));
    assert_eq!(read::<u32>("spec.priority"), Ok(vec![3]));
    assert_eq!(read::<String>("spec.containers[*].name"), Ok(vec!["main".into(), "side".into()]));
    assert_eq!(read::<u16>("spec.containers[*].ports[*].port"), Ok(vec![80, 443]));
}

#[test]
fn what_is_not_there_is_no_value() {
    for path in ["spec.hostname", "status.phase", "spec.nodeName.x", "spec.containers.name", "spec[*]"] {
        assert_eq!(read::<String>(path), Ok(Vec::new()), "{path}");
    }
}

#[test]
fn a_value_of_another_type_is_an_error() {
    assert!(read::<String>("spec.priority").unwrap_err().contains("expected a string"));
    assert!(read::<u8>("spec..x").unwrap_err().contains("not a path"));
}

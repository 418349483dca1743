use super::check;

#[test]
fn paths_lead_through_names_lists_and_quoted_names() {
    for path in ["spec", "spec.nodeName", "spec.hosts[*].name", r#"metadata.labels["a.b/\"c"]"#, "[*].x"] {
        assert_eq!(check(path), Ok(()), "{path}");
    }
}

#[test]
fn what_is_no_path_is_explained() {
    for (path, message) in [
        ("", "a name is missing"),
        (".spec", "a name is missing"),
        ("spec.", "a name is missing"),
        ("spec..x", "a name is missing"),
        ("spec x", "a name with ' ' is written in [\"…\"]"),
        ("spec[0]", "brackets hold * or a name in double quotes"),
        ("spec[\"x]", "brackets hold * or a name in double quotes"),
        ("spec[*]x", "a dot is missing"),
    ] {
        assert_eq!(check(path), Err(message.to_owned()), "{path}");
    }
}

use super::*;

fn problems(text: &str) -> String {
    read(text, &Place::file("kinds.toml")).unwrap_err().to_string()
}

const WIDGET: &str = r#"
[[kind]]
group = "example.com"
version = "v1"
kind = "Widget"
type = "crate::Widget"
scope = "Namespaced"
"#;

#[test]
fn a_kind_needs_no_more_than_five_lines() {
    let description = read(WIDGET, &Place::file("kinds.toml")).unwrap();
    let [kind] = description.kinds.as_slice() else { panic!("{description:?}") };
    assert_eq!(
        (kind.group.as_str(), kind.version.as_str(), kind.kind.as_str()),
        ("example.com", "v1", "Widget")
    );
    assert_eq!((kind.plural.as_str(), kind.scope), ("widgets", SpecScope::Namespaced));
    assert_eq!(kind.place.to_string(), "kinds.toml:2:1");
}

#[test]
fn plural_indexes_and_sources_are_read() {
    let text = format!(
        "{WIDGET}plural = \"gizmos\"\n\n[kind.indexes]\nnode = \"spec.nodeName\"\n\
         size = {{ path = \"spec.size\", type = \"u32\" }}\n\n\
         [[source]]\nfile = \"src/kinds.rs\"\nmodule = \"crate::kinds\"\n\n\
         [indexes.Gadget]\nowner = \"spec.owner\"\n"
    );
    let description = read(&text, &Place::file("kinds.toml")).unwrap();
    let indexes = |indexes: &[IndexSpec]| -> Vec<String> {
        indexes.iter().map(|index| format!("{} {} {}", index.name, index.path, index.value_type)).collect()
    };
    assert_eq!(description.kinds[0].plural, "gizmos");
    assert_eq!(indexes(&description.kinds[0].indexes), ["node spec.nodeName String", "size spec.size u32"]);
    assert_eq!(description.sources[0].file, PathBuf::from("src/kinds.rs"));
    assert_eq!(description.sources[0].module.as_deref(), Some("crate::kinds"));
    assert_eq!(description.indexes[0].kind, "Gadget");
    assert_eq!(indexes(&description.indexes[0].indexes), ["owner spec.owner String"]);
}

#[test]
fn what_a_kind_lacks_is_said_at_its_place() {
    assert_eq!(
        problems("\n[[kind]]\nkind = \"Widget\"\n"),
        "kinds.toml:2:1: this kind has no group: add group = \"example.com\"\n\
         kinds.toml:2:1: this kind has no version: add version = \"v1\"\n\
         kinds.toml:2:1: this kind has no type: add type = \"crate::Widget\"\n\
         kinds.toml:2:1: this kind has no scope: add scope = \"Namespaced\" or scope = \"Cluster\""
    );
}

#[test]
fn an_unknown_scope_is_said_at_its_place() {
    let text = WIDGET.replace("Namespaced", "namespace");
    assert_eq!(
        problems(&text),
        "kinds.toml:7:9: scope \"namespace\" is unknown: it is \"Namespaced\" or \"Cluster\""
    );
}

#[test]
fn unknown_words_and_wrong_types_are_said_at_their_place() {
    let text = format!(
        "version = 3\n[[kinds]]\n{WIDGET}plurall = \"x\"\n[kind.indexes]\nnode = 1\nsize = {{ typ = \"u8\" }}\n"
    );
    assert_eq!(
        problems(&text),
        "kinds.toml:1:1: `version` is unknown here; there are kind, source, indexes\n\
         kinds.toml:2:3: `kinds` is unknown here; there are kind, source, indexes\n\
         kinds.toml:10:1: `plurall` is unknown here; there are group, version, kind, type, scope, plural, indexes\n\
         kinds.toml:12:8: this must be a table, not of type integer\n\
         kinds.toml:13:1: index \"size\" has no path: add path = \"spec.nodeName\"\n\
         kinds.toml:13:10: `typ` is unknown here; there are path, type"
    );
    assert_eq!(
        problems("[kind]\ngroup = \"a\"\n"),
        "kinds.toml:1:1: this must be written [[kind]], not of type table"
    );
    let wrong_type = WIDGET.replace("\"example.com\"", "1").replace("\"Namespaced\"", "\"\"");
    assert_eq!(
        problems(&wrong_type),
        "kinds.toml:3:9: this must be a text in quotes, not of type integer\n\
         kinds.toml:7:9: scope \"\" is unknown: it is \"Namespaced\" or \"Cluster\""
    );
    assert_eq!(
        problems("[[source]]\nmodule = \"crate\"\n"),
        "kinds.toml:1:1: this source has no file: add file = \"src/kinds.rs\""
    );
}

#[test]
fn what_is_not_toml_is_said_at_its_place() {
    let text = problems("[[kind]]\ngroup = \"example.com\nversion = \"v1\"\n");
    assert!(text.starts_with("kinds.toml:2:"), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

use crate::model::{Availability, IndexSpec, KindSpec, Model, SpecScope};
use crate::problem::Place;
use crate::{Style, custom_kinds};

/// The lines for one index of this path.
fn lines(path: &str) -> Vec<String> {
    let index = IndexSpec {
        name: "x".into(),
        path: path.into(),
        value_type: "String".into(),
        place: Place::file("k"),
    };
    let kind = KindSpec {
        group: "a.io".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: SpecScope::Namespaced,
        type_path: "crate::Widget".into(),
        indexes: vec![index],
        availability: Availability::ALWAYS,
        place: Place::file("k"),
    };
    let text = custom_kinds(&Model::of_custom_kinds(vec![kind]).unwrap(), &[], Style::of_width(200));
    let is_of_index = |line: &&str| line.contains("by `") || line.contains("IndexKey::new");
    text.lines().filter(is_of_index).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn paths_of_indexes_stay_within_their_comments_and_literals() {
    for (path, comment, literal) in [
        ("{.spec.a}", "spec.a", r#""spec.a""#),
        (
            "metadata.labels['a.b/\"c']",
            r#"metadata.labels["a.b/\"c"]"#,
            r#""metadata.labels[\"a.b/\\\"c\"]""#,
        ),
        (
            "spec['a\n}; panic!();\rb']",
            r#"spec["a\n}; panic!();\rb"]"#,
            r#""spec[\"a\\n}; panic!();\\rb\"]""#,
        ),
        ("spec['a\u{202e}b\u{2028}']", r#"spec["a\u{202e}b\u{2028}"]"#, r#""spec[\"a\u{202e}b\u{2028}\"]""#),
    ] {
        let expected = [
            format!("/// Finds `widgets.a.io` by `{comment}`."),
            format!(
                "pub const WIDGETS_BY_X: IndexKey<crate::Widget, String> = IndexKey::new(\"x\", {literal});"
            ),
            format!("/// The `widgets.a.io` by `{comment}`; the index is added by the first call."),
        ];
        assert_eq!(lines(path), expected, "{path:?}");
    }
}

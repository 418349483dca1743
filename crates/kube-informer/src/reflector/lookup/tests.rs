use super::super::testing::target;
use super::*;
use crate::kind::KindInfo;

fn asked(scope: Scope, fields: Option<&str>, key: &ObjectKey) -> String {
    let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
    let target = Target {
        scope,
        label_selector: Some("app=web".into()),
        field_selector: fields.map(Into::into),
        ..target(kind.clone())
    };
    request(&target, key).path_and_query(&kind)
}

#[test]
fn one_object_is_asked_for_by_name_and_namespace_in_its_most_recent_state() {
    let key = ObjectKey::namespaced("default", "web-1");
    assert_eq!(
        asked(Scope::All, Some("spec.nodeName=n"), &key),
        "/api/v1/namespaces/default/pods?limit=1&labelSelector=app%3Dweb\
         &fieldSelector=spec.nodeName%3Dn%2Cmetadata.name%3Dweb-1%2Cmetadata.namespace%3Ddefault"
    );
    assert_eq!(
        asked(Scope::All, None, &ObjectKey::cluster("node-1")),
        "/api/v1/pods?limit=1&labelSelector=app%3Dweb&fieldSelector=metadata.name%3Dnode-1"
    );
}

#[test]
fn names_with_characters_of_the_selector_syntax_are_escaped() {
    assert_eq!(escape(r"a=b,c\d"), r"a\=b\,c\\d");
}

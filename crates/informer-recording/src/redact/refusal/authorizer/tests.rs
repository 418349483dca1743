use super::*;

#[test]
fn what_an_authorizer_says_is_told_from_what_admission_says() {
    for message in [
        r#"pods is forbidden: User "system:anonymous" cannot create resource "pods" in API group "" at the cluster scope"#,
        r#"secrets "a.b" is forbidden: User "system:serviceaccount:a:b" cannot patch resource "secrets" in API group "" in the namespace "a""#,
        r#"roles.rbac.authorization.k8s.io "system:a" is forbidden: User "Jane Doe" cannot delete resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "a": RBAC: role.rbac.authorization.k8s.io "b" not found"#,
        r#"pods "a" is forbidden: User "b" cannot create resource "pods/exec" in API group "" in the namespace "c""#,
    ] {
        assert!(is_its_refusal(message), "{message}");
    }
    let form =
        r#" is forbidden: User "b" cannot create resource "pods" in API group "" at the cluster scope"#;
    for message in [
        String::new(),
        "forbidden".to_owned(),
        r#"pods "a" is forbidden: violates PodSecurity "restricted:latest": hush"#.to_owned(),
        r#"pods "a" is forbidden: exceeded quota: hush, requested: pods=1"#.to_owned(),
        r#"pods "a" is forbidden: User "b" cannot see {"hush":1}"#.to_owned(),
        format!(r#"{{"hush":1}}{form}"#),
        format!(r#"pods "hush hush"{form}"#),
        format!("pods \"a\"{form} hush"),
        format!("pods \"a\"{}", form.replace("\"b\"", "{\"password\":\"hush\"}")),
        format!("pods \"a\"{}", form.replace("at the cluster scope", "in the namespace \"a hush\"")),
    ] {
        assert!(!is_its_refusal(&message), "{message}");
    }
}

use super::*;

#[test]
fn forms_that_only_kubectl_has_are_refused_with_the_command_that_does_it() {
    for text in
        ["jsonpath={.a}", "jsonpath", "jsonpath-as-json={.a}", "custom-columns=A:.a", "go-template={{.a}}"]
    {
        let error = text.parse::<Form>().unwrap_err();
        let form = text.split('=').next().unwrap();
        assert!(error.contains(&format!("`kubectl get … -o {form}=…`")), "{text}: {error}");
        assert!(error.contains("--field PATH"), "{text}: {error}");
    }
    for text in ["xml", "", "table=a", "JSON"] {
        assert_eq!(
            text.parse::<Form>(),
            Err("expected table, wide, json, yaml or name".to_owned()),
            "{text}"
        );
    }
}

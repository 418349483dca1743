use super::*;

#[test]
fn options_become_flags_after_the_built_in_ones() {
    let options = Options::default()
        .feature_gate("A", true)
        .feature_gate("B", false)
        .authorization_mode("RBAC")
        .apiserver_arg("--watch-cache=false");
    let flags = kube_apiserver(Path::new("dir"), 7, &options);
    assert!(flags.contains(&"--secure-port=7".to_owned()));
    assert!(flags.contains(&"--authorization-mode=RBAC".to_owned()));
    assert!(
        flags.iter().any(|flag| flag.starts_with("--feature-gates=") && flag.ends_with("A=true,B=false"))
    );
    assert_eq!(flags.last().unwrap(), "--watch-cache=false");
}

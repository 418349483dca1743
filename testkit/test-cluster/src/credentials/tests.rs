use super::*;

#[test]
fn tokens_differ() {
    let (one, other) = (Tokens::generate().unwrap(), Tokens::generate().unwrap());
    assert_ne!(one.admin, one.unprivileged);
    assert_ne!(one.admin, other.admin);
}

#[test]
fn a_kubeconfig_names_server_ca_and_token() {
    let yaml = kubeconfig("https://127.0.0.1:1", "pem", "secret");
    assert!(yaml.contains("    server: https://127.0.0.1:1\n"), "{yaml}");
    assert!(yaml.contains("    certificate-authority-data: cGVt\n"), "{yaml}");
    assert!(yaml.contains("    token: secret\n"), "{yaml}");
}

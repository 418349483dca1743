use super::*;

#[test]
fn d18_the_server_of_a_pod() {
    let server = |host: &'static str, port: &'static str| {
        server(move |name| match name {
            "KUBERNETES_SERVICE_HOST" => Some(host.to_owned()),
            "KUBERNETES_SERVICE_PORT" => Some(port.to_owned()),
            other => panic!("{other} is no variable of a pod"),
        })
    };
    assert_eq!(server("10.0.0.1", "443").unwrap(), "https://10.0.0.1:443");
    assert_eq!(server("fd00::1", "6443").unwrap(), "https://[fd00::1]:6443");
    assert_eq!(server("kubernetes.default", "443").unwrap(), "https://kubernetes.default:443");
    assert_eq!(server("10.0.0.1", "").unwrap_err(), "the variable KUBERNETES_SERVICE_PORT is not set");
}

/// A directory as a pod has it.
fn mounted() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let authority = test_cluster::Authority::new("server").unwrap();
    fs::write(directory.path().join("token"), "secret\n").unwrap();
    fs::write(directory.path().join("ca.crt"), authority.certificate_pem()).unwrap();
    fs::write(directory.path().join("namespace"), "mine\n").unwrap();
    directory
}

#[test]
fn d18_files_of_a_service_account_are_followed_by_name() {
    let directory = mounted();
    let found = config("https://10.0.0.1:443", directory.path()).unwrap();
    assert_eq!(found.cluster_url, "https://10.0.0.1:443/");
    assert_eq!(found.default_namespace, "mine");
    assert_eq!(found.root_cert_file.as_deref(), Some(&*directory.path().join("ca.crt")));
    let token = directory.path().join("token").display().to_string();
    assert_eq!(found.auth_info.token_file, Some(token));
    assert!(found.auth_info.token.is_none(), "what the file holds is read when it is needed");

    fs::remove_file(directory.path().join("namespace")).unwrap();
    assert_eq!(config("https://10.0.0.1:443", directory.path()).unwrap().default_namespace, "default");
}

#[test]
fn d18_what_is_wrong_with_a_service_account_is_named() {
    let directory = mounted();
    let refused = |server| config(server, directory.path()).unwrap_err();
    assert!(refused("10.0.0.1:443").contains("such as https://10.0.0.1:443"), "{}", refused("10.0.0.1:443"));
    let file = |name: &str| directory.path().join(name);
    let said = |name: &str| {
        let said = refused("https://10.0.0.1:443");
        said.strip_prefix(&*file(name).display().to_string())
            .map(str::to_owned)
            .unwrap_or_else(|| panic!("{said}"))
    };
    fs::write(file("ca.crt"), "no certificate").unwrap();
    assert_eq!(said("ca.crt"), " has no certificate");
    fs::write(file("token"), "\n").unwrap();
    assert_eq!(said("token"), " is empty");
    fs::remove_file(file("token")).unwrap();
    assert!(said("token").starts_with(": "), "{}", said("token"));
}

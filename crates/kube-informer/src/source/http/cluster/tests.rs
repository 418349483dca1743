use super::*;

#[test]
fn the_usual_rule() {
    let (explicit, default) = (Path::new("mine"), Path::new("home"));
    let chosen = |explicit, context, variable, pod, exists| {
        choose(explicit, context, variable, pod, default, exists).map(|place| match place {
            Configured::File(file) => file.display().to_string(),
            Configured::Environment => "variable".into(),
            Configured::Pod => "pod".into(),
        })
    };
    assert_eq!(chosen(Some(explicit), None, true, true, true).as_deref(), Some("mine"));
    assert_eq!(chosen(None, None, true, true, true).as_deref(), Some("variable"));
    assert_eq!(chosen(None, None, false, true, true).as_deref(), Some("pod"));
    assert_eq!(chosen(None, Some("prod"), false, true, true).as_deref(), Some("home"));
    assert_eq!(chosen(None, None, false, false, true).as_deref(), Some("home"));
    assert_eq!(chosen(None, None, false, false, false), None);
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named() {
    let missing = Path::new("does/not/exist");
    let error = find(Some(missing), None).await.unwrap_err();
    assert!(error.to_string().starts_with("kubeconfig does/not/exist cannot be used: "), "{error}");
}

const KUBECONFIG: &str = "
apiVersion: v1
kind: Config
current-context: direct
contexts:
- { name: direct, context: { cluster: direct, user: somebody } }
- { name: tunnel, context: { cluster: tunnel, user: somebody } }
clusters:
- { name: direct, cluster: { server: 'https://direct.example.com' } }
- { name: tunnel, cluster: { server: 'https://tunnel.example.com', proxy-url: 'http://named:3128' } }
users:
- { name: somebody, user: { token: secret } }
";

#[test]
fn a_proxy_that_the_kubeconfig_names_goes_before_the_environment() {
    let kubeconfig = Kubeconfig::from_yaml(KUBECONFIG).unwrap();
    let environment = |name: &str| match name {
        "HTTPS_PROXY" => Some("http://environment:3128".to_owned()),
        "NO_PROXY" => Some("tunnel.example.com".to_owned()),
        _ => None,
    };
    let proxy = |context: Option<&str>, server| {
        let cluster = cluster_of(&kubeconfig, context.map(str::to_owned).as_ref()).unwrap();
        let named = cluster.proxy_url.clone();
        let config = with_proxy(Config::new(http::Uri::from_static(server)), named, environment).unwrap();
        config.proxy_url.map(|url| url.to_string())
    };
    assert_eq!(proxy(None, "https://direct.example.com").as_deref(), Some("http://environment:3128/"));
    assert_eq!(proxy(None, "https://tunnel.example.com"), None, "NO_PROXY excepts it");
    assert_eq!(proxy(Some("tunnel"), "https://tunnel.example.com").as_deref(), Some("http://named:3128/"));
}

#[tokio::test]
async fn the_proxy_of_the_chosen_context_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    std::fs::write(&file, KUBECONFIG).unwrap();
    let cluster = find(Some(&file), Some("tunnel")).await.unwrap();
    let config = cluster.config().unwrap();
    assert_eq!(config.cluster_url, "https://tunnel.example.com/");
    assert_eq!(config.proxy_url.clone().unwrap(), "http://named:3128/");
}

#[tokio::test]
async fn d18_the_file_of_authorities_is_followed_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (file, authority) = (folder.path().join("config"), folder.path().join("ca.pem"));
    let made = test_cluster::Authority::new("server").unwrap();
    std::fs::write(&authority, made.certificate_pem()).unwrap();
    let followed = async |more: &str| {
        std::fs::write(
            &file,
            KUBECONFIG.replace("direct.example.com'", &format!("direct.example.com'{more}")),
        )
        .unwrap();
        find(Some(&file), None).await.unwrap().config().unwrap().root_cert_file.clone()
    };
    assert_eq!(followed("").await, None);
    // The path is relative to the kubeconfig.
    assert_eq!(followed(", certificate-authority: ca.pem").await, Some(authority));
}

#[test]
fn an_address_that_is_none_is_said_to_be_the_proxys() {
    let config = Config::new(http::Uri::from_static("https://api.example.com"));
    let error = with_proxy(config, Some("http://a b".into()), |_| None).unwrap_err();
    assert!(error.starts_with("the address of the proxy: "), "{error}");
}

#[test]
fn a_found_cluster_is_shown_without_credentials() {
    let mut config = Config::new(http::Uri::from_static("https://api.example.com:6443"));
    config.proxy_url = Some(http::Uri::from_static("http://user:hunter2@proxy:3128"));
    config.auth_info.username = Some("hunter2".into());
    let shown = format!("{:?}", Cluster { origin: Some("kubeconfig mine".into()), ..config.into() });
    assert!(shown.contains("kubeconfig mine") && shown.contains("https://api.example.com:6443"), "{shown}");
    assert!(shown.contains("http://proxy:3128") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn why_there_is_no_cluster() {
    let text = |context, pod| nowhere(context, pod, Path::new("home")).to_string();
    for outside in [text(None, false), text(Some("prod"), false)] {
        assert_eq!(
            outside,
            "no cluster: no kubeconfig was named, KUBECONFIG is not set, this is not a pod, and home does not exist"
        );
    }
    assert_eq!(
        text(Some("prod"), true),
        "no cluster: no kubeconfig was named, KUBECONFIG is not set, the service account of this pod is not used as the \
         context \"prod\" was named, and home does not exist"
    );
}

#[tokio::test]
async fn a_context_that_is_not_there_brings_those_that_are() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("kubeconfig");
    let said = async |text: &str, context: Option<&str>| {
        std::fs::write(&file, text).unwrap();
        let error = find(Some(&file), context).await.unwrap_err().to_string();
        error.split_once(" cannot be used: ").unwrap().1.to_owned()
    };
    assert_eq!(
        said(KUBECONFIG, Some("prod")).await,
        "it has no context \"prod\"; there is \"direct\", \"tunnel\""
    );
    let stale = KUBECONFIG.replace("current-context: direct", "current-context: old");
    assert_eq!(
        said(&stale, None).await,
        "it has no current-context \"old\"; there is \"direct\", \"tunnel\""
    );
    let empty = "apiVersion: v1\nkind: Config\ncurrent-context: old\n";
    assert_eq!(said(empty, None).await, "it has no current-context \"old\", and no other");
}

#[tokio::test]
async fn files_of_a_list_that_are_missing_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let [missing, one, broken] = ["missing", "one", "broken"].map(|name| folder.path().join(name));
    std::fs::write(&one, KUBECONFIG).unwrap();
    std::fs::write(&broken, "clusters: [").unwrap();
    let list = |files: &[&PathBuf]| super::files(&env::join_paths(files).unwrap());
    let empty = PathBuf::new();
    for there in [list(&[&missing, &one]), list(&[&one, &missing]), list(&[&empty, &missing, &one, &empty])] {
        assert_eq!(merged(&there).unwrap().contexts.len(), 2, "{there:?}");
    }
    let error = merged(&list(&[&missing, &missing])).unwrap_err();
    assert!(told(&error).contains("missing"), "{error}");
    assert!(merged(&list(&[&one, &broken])).is_err(), "what is there has to be a kubeconfig");
    assert!(list(&[&empty, &empty]).is_empty());
}

#[test]
fn a_server_without_a_scheme_is_read_as_client_go_does() {
    let completed_for = |text: &str, context: Option<&str>| {
        let mut kubeconfig = Kubeconfig::from_yaml(text).unwrap();
        complete(&mut kubeconfig, context);
        kubeconfig.clusters[0].cluster.as_ref().unwrap().server.clone().unwrap()
    };
    let completed = |text: &str| completed_for(text, None);
    let cluster = |more: &str| format!("clusters: [{{ name: a, cluster: {{ server: 'a:6443'{more} }} }}]\n");
    assert_eq!(completed(&cluster("")), "http://a:6443");
    for more in [", insecure-skip-tls-verify: true", ", certificate-authority: ca.pem"] {
        assert_eq!(completed(&cluster(more)), "https://a:6443", "{more}");
    }
    let two_users = "\
        users: [{ name: a, user: { client-certificate: a.pem } }, { name: b, user: { token: b } }]\n\
        contexts: [{ name: of-a, context: { cluster: a, user: a } }, { name: of-b, context: { cluster: a, user: b } }]\n\
        current-context: of-b\n";
    let two_users = format!("{}{two_users}", cluster(""));
    assert_eq!(completed(&two_users), "http://a:6443", "the certificate of somebody else says nothing");
    assert_eq!(completed_for(&two_users, Some("of-a")), "https://a:6443");
    assert_eq!(completed(KUBECONFIG), "https://direct.example.com");
}

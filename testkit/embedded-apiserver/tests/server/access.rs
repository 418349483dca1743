//! Tokens and kubeconfigs.

use embedded_apiserver::{EmbeddedApiserver, ServerFault};
use k8s_openapi::api::core::v1::Namespace;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Api, Client, Config, Error};

use crate::support::{answer_to, get};

/// A token with characters that are special in YAML.
const TOKEN: &str = "it's \"secret\": #1 \\ {}";

async fn names(client: Client) -> Result<Vec<String>, Error> {
    let namespaces = Api::<Namespace>::all(client).list(&Default::default()).await?;
    Ok(namespaces.items.into_iter().filter_map(|namespace| namespace.metadata.name).collect())
}

#[tokio::test]
async fn a_kubeconfig_leads_to_the_server() {
    for builder in [EmbeddedApiserver::builder(), EmbeddedApiserver::builder().token(TOKEN)] {
        let server = builder.build();
        let endpoint = server.listen().await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("kubeconfig");
        endpoint.write_kubeconfig(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), endpoint.kubeconfig());
        let kubeconfig = Kubeconfig::read_from(&path).unwrap();
        // JavaScript's client refuses a server without TLS otherwise.
        let cluster = kubeconfig.clusters[0].cluster.as_ref().unwrap();
        assert_eq!(cluster.insecure_skip_tls_verify, Some(true));
        assert!(cluster.server.as_ref().is_some_and(|url| url.starts_with("http://127.0.0.1:")));
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
        assert_eq!(config.cluster_url.to_string(), format!("{}/", endpoint.url()));
        assert_eq!(config.default_namespace, "default");
        let expected = names(server.client()).await.unwrap();
        assert!(expected.contains(&"default".to_owned()), "{expected:?}");
        assert_eq!(names(Client::try_from(config).unwrap()).await.unwrap(), expected);
        assert_eq!(names(Client::try_from(endpoint.config()).unwrap()).await.unwrap(), expected);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_may_read_a_kubeconfig() {
    use std::os::unix::fs::PermissionsExt;

    let endpoint = EmbeddedApiserver::builder().token("secret").build().listen().await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("kubeconfig");
    // A file that exists already and is readable by everyone.
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    endpoint.write_kubeconfig(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn without_the_token_it_is_401() {
    let server = EmbeddedApiserver::builder().token("secret").build();
    let endpoint = server.listen().await.unwrap();
    let mut config = endpoint.config();
    for wrong in [None, Some("wrong".to_owned())] {
        config.auth_info.token = wrong.map(Into::into);
        match names(Client::try_from(config.clone()).unwrap()).await {
            Err(Error::Api(status)) => {
                let words = (status.code, status.reason.as_str(), status.message.as_str());
                assert_eq!(words, (401, "Unauthorized", "Unauthorized"));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(server.journal().count(|request| request.status == Some(401)), 2);
    for path in ["/healthz", "/livez", "/readyz", "/version"] {
        let answer = answer_to(&endpoint, get(path)).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
    }
    let answer = answer_to(&endpoint, get("/apis")).await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
}

#[tokio::test]
async fn users_are_known_by_their_tokens() {
    let server = EmbeddedApiserver::builder().user("reader", "other").token("secret").build();
    let endpoint = server.listen().await.unwrap();
    server.inject(ServerFault::forbidden().when(|request| request.user == "reader"));
    assert!(names(Client::try_from(endpoint.config()).unwrap()).await.is_ok());
    let mut config = endpoint.config();
    config.auth_info.token = Some("other".to_owned().into());
    let Err(Error::Api(status)) = names(Client::try_from(config).unwrap()).await else {
        panic!("not refused")
    };
    let words = "namespaces is forbidden: User \"reader\" cannot list resource \"namespaces\" in API group \"\" at \
                 the cluster scope";
    assert_eq!((status.code, status.message.as_str()), (403, words));
    let users = server.journal().requests().into_iter().map(|request| request.user);
    assert_eq!(users.collect::<Vec<_>>(), ["kubernetes-admin", "reader"]);
}

#[tokio::test]
async fn answers_carry_the_headers_that_all_answers_have() {
    let endpoint = EmbeddedApiserver::new().listen().await.unwrap();
    for path in ["/api/v1/pods", "/api/v1/namespaces/default/pods/none", "/nowhere"] {
        let answer = answer_to(&endpoint, get(path)).await.to_lowercase();
        assert!(answer.contains("cache-control: no-cache, private\r\n"), "{path}: {answer}");
        assert!(answer.contains("audit-id: "), "{path}: {answer}");
    }
}

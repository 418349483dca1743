use embedded_apiserver::EmbeddedApiserver;

use super::super::{Cluster, HttpSource};
use super::*;
use crate::error::ClusterError;
use crate::kind::KindInfo;

/// A source for a kubeconfig with this server and this user.
async fn source(folder: &Path, server: &str, user: &str) -> Result<HttpSource, ClusterError> {
    let file = folder.join("config");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: one\n\
         contexts: [{{ name: one, context: {{ cluster: one, user: one }} }}]\n\
         clusters: [{{ name: one, cluster: {{ server: '{server}' }} }}]\n\
         users:\n- name: one\n  user: {user}\n"
    );
    std::fs::write(&file, text).expect("a file");
    HttpSource::new(Cluster::find().kubeconfig(file).await?, KindInfo::new("", "v1", "Pod", "pods"))
}

async fn problem(user: &str) -> String {
    let folder = tempfile::tempdir().expect("a directory");
    source(folder.path(), "http://127.0.0.1:1", user).await.expect_err("no client").to_string()
}

#[tokio::test]
async fn a_token_with_a_line_break_is_an_error_and_is_not_quoted() {
    for user in [
        r#"{ token: "hunter2\nhunter2" }"#,
        r#"{ token: "hunter2\n" }"#,
        r#"{ exec: { command: echo, args: ['{"status":{"token":"hunter2\nhunter2"}}'] } }"#,
    ] {
        let problem = problem(user).await;
        assert!(problem.contains("it has a line break") && !problem.contains("hunter2"), "{problem}");
    }
}

#[tokio::test]
async fn a_plugin_that_is_not_there_is_named_and_how_to_install_it() {
    let problem = problem("{ exec: { command: no-such-plugin, installHint: 'brew install it' } }").await;
    assert!(
        problem.contains("the credential plugin \"no-such-plugin\" cannot be run: No such file"),
        "{problem}"
    );
    assert!(problem.ends_with("\nbrew install it"), "{problem}");
}

#[tokio::test]
async fn the_last_words_of_a_plugin_are_told_without_what_it_was_given() {
    let script = "echo hunter2; echo log in with $SECRET 1 again, eyJhbGciOiJub25lIn0.x.y >&2; exit 7";
    let user = format!(
        "{{ exec: {{ command: sh, args: [-c, '{script}'], interactiveMode: Never, \
         env: [{{ name: SECRET, value: hunter2 }}, {{ name: DEBUG, value: '1' }}, {{ name: WHERE, value: in }}] }} }}"
    );
    let problem = problem(&user).await;
    let expected = "the credential plugin \"sh\" failed: exit status: 7: log in with … 1 again, …";
    assert!(problem.contains(expected), "{problem}");
    assert!(!problem.contains("hunter2") && !problem.contains("eyJ"), "{problem}");
}

#[tokio::test]
async fn what_a_plugin_prints_has_to_be_a_credential() {
    for (printed, expected) in [
        (r#"{"kind":"ExecCredential"}"#, "without a status"),
        (r#"{"status":{}}"#, "neither a token nor a certificate"),
        (r#"{"status":{"token":""}}"#, "neither a token nor a certificate"),
        (r#"{"status":{"token":"hunter2","expirationTimestamp":"soon"}}"#, "expirationTimestamp"),
        ("hunter2: [", "not an ExecCredential"),
    ] {
        let problem = problem(&format!("{{ exec: {{ command: echo, args: ['{printed}'] }} }}")).await;
        assert!(
            problem.contains("the credential plugin \"echo\" printed") && problem.contains(expected),
            "{problem}"
        );
        assert!(!problem.contains("hunter2"), "{problem}");
    }
}

#[tokio::test]
async fn tokens_of_files_are_trimmed_and_servers_may_lack_a_scheme() {
    let endpoint = EmbeddedApiserver::builder().token("secret").build().listen().await.unwrap();
    let server = endpoint.url().trim_start_matches("http://").to_owned();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "\n secret\r\n\n").unwrap();
    for user in ["{ tokenFile: token }", "{ token: secret }"] {
        let source = source(folder.path(), &server, user).await.unwrap();
        source.sources.document("/api").await.unwrap();
    }
    std::fs::write(folder.path().join("token"), "\n").unwrap();
    let error = source(folder.path(), &server, "{ tokenFile: token }").await.unwrap_err();
    assert!(error.to_string().ends_with("token is empty"), "{error}");
    endpoint.stop().await;
}

#[tokio::test]
async fn a_plugin_is_run_once_for_a_client_and_again_when_its_token_expires() {
    let endpoint = EmbeddedApiserver::builder().token("secret").build().listen().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (expires, runs) in [("2999-01-01T00:00:00Z", 1), ("2020-01-01T00:00:00Z", 3)] {
        let log = folder.path().join(&expires[..4]);
        let script = folder.path().join("plugin");
        let printed = format!(r#"{{"status":{{"token":"secret","expirationTimestamp":"{expires}"}}}}"#);
        std::fs::write(&script, format!("echo run >> {}\necho '{printed}'\n", log.display())).unwrap();
        let user = format!("{{ exec: {{ command: sh, args: ['{}'] }} }}", script.display());
        let source = source(folder.path(), &endpoint.url(), &user).await.unwrap();
        for _ in 0..2 {
            source.sources.document("/api").await.unwrap();
        }
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), runs, "{expires}");
    }
    endpoint.stop().await;
}

/// It may wait for a browser, or for a server that is gone.
#[tokio::test]
async fn a_plugin_that_hangs_is_started_once_however_many_requests_are_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let [script, log, held, end] = ["plugin", "log", "held", "end"].map(|name| folder.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&held).status().unwrap().success());
    let printed = r#"{"status":{"token":"new","expirationTimestamp":"2999-01-01T00:00:00Z"}}"#;
    let text = format!(
        "echo run >> {}\n[ -e {} ] || cat {}\necho '{printed}'\n",
        log.display(),
        end.display(),
        held.display()
    );
    std::fs::write(&script, text).unwrap();
    let exec = serde_json::json!({ "command": "sh", "args": [script] });
    let exec: ExecConfig = serde_json::from_value(exec).unwrap();
    let expired = Token { header: HeaderValue::from_static("old"), until: Some(Timestamp::MIN) };
    let bearer = Bearer::of(&Source::Plugin(exec.into()), expired);
    let ask = || {
        let bearer = bearer.clone();
        tokio::spawn(async move { bearer.header().await })
    };
    let first = ask();
    // It is open as soon as the plugin reads from it, and holds it up until it is closed.
    let held = tokio::task::spawn_blocking(|| std::fs::File::create(held)).await.unwrap();
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let second = ask();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    second.abort();
    assert!(second.await.unwrap_err().is_cancelled());
    std::fs::write(&end, "").unwrap();
    drop(held);
    assert_eq!(ask().await.unwrap().unwrap(), "Bearer new");
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 1);
}

#[tokio::test]
async fn a_certificate_of_a_plugin_is_that_of_the_client() {
    let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let status = serde_json::json!({ "status": { "clientCertificateData": certificate, "clientKeyData": "key",
        "expirationTimestamp": "2030-01-01T00:00:00Z" } });
    let mut config = Config::new(http::Uri::from_static("https://127.0.0.1:1"));
    let args = Some(vec![status.to_string()]);
    let text = serde_json::json!({ "command": "echo", "args": args });
    config.auth_info.exec = Some(serde_json::from_value(text).unwrap());
    let proven = proven(&config).unwrap();
    let auth = &proven.config.auth_info;
    let encoded: ByteString =
        serde_json::from_value(auth.client_certificate_data.clone().unwrap().into()).unwrap();
    assert_eq!(encoded.0, certificate.as_bytes());
    assert!(auth.client_key_data.is_some() && auth.exec.is_none() && proven.bearer.is_none());
    assert_eq!(proven.valid_until, Some("2030-01-01T00:00:00Z".parse().unwrap()));
}

#[tokio::test]
async fn a_configuration_whose_server_lacks_a_scheme_is_an_error() {
    let config = Config::new(http::Uri::from_static("example.com:6443"));
    let error = HttpSource::new(config, KindInfo::new("", "v1", "Pod", "pods")).unwrap_err();
    assert!(error.to_string().contains("\"example.com:6443\" lacks http:// or https://"), "{error}");
}

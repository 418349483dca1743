//! Error messages, which say what to do, and exit codes.

use embedded_apiserver::{ServerFault, Verb};

use serde_json::json;

use crate::support::canned::{Answer, Canned, kubeconfig};
use crate::support::{Server, informer, run, unread};

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_is_not_there_brings_near_names() {
    let server = Server::start().await;
    let said = run(server.informer(&["get", "deploymets"])).await;
    assert_eq!(said.code, 2);
    assert!(said.err.starts_with("error: the server has no resource \"deploymets\""), "{said:?}");
    assert!(said.err.contains("deployments"), "{said:?}");
    let said = run(server.informer(&["watch", "widgets.example.com"])).await;
    assert_eq!(said.code, 2);
    assert!(said.err.contains("the server has no resource \"widgets.example.com\""), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_not_there() {
    let server = Server::start().await;
    let said = run(server.informer(&["get", "configmap", "nope", "-n", "shop"])).await;
    assert_eq!((said.code, said.err.as_str()), (1, "error: configmaps \"nope\" not found\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exit_code_that_is_an_answer_is_one_also_if_nobody_reads_the_output() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let get = unread(server.informer(&["get", "configmap", "a", "-n", "shop"])).await;
    assert_eq!(get, (0, String::new()));
    let missing = unread(server.informer(&["get", "configmap", "a", "nope", "-n", "shop"])).await;
    assert_eq!(missing, (1, "error: configmaps \"nope\" not found\n".to_owned()));
    let equal = unread(server.informer(&["diff", "configmaps", "-n", "shop"])).await;
    assert_eq!(equal, (0, String::new()));
    // The cache gets one state, and the list that it is compared with another.
    let list = |name: &str| {
        let items = [json!({ "metadata": { "name": name, "namespace": "shop", "resourceVersion": "5" } })];
        json!({ "kind": "ConfigMapList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": items })
    };
    let (cached, listed) = (list("a"), list("b"));
    let differing = Canned::start(move |path| match path {
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(String::new()),
        path if path.contains("resourceVersion=") => Answer::json(200, &cached),
        _ => Answer::json(200, &listed),
    });
    let different = unread(differing.informer(&["diff", "configmaps", "-n", "shop"])).await;
    assert_eq!(different, (1, "error: configmaps: 2 of 1 objects differ\n".to_owned()));
    let until = ["watch", "configmap/a", "-n", "shop", "--until", "jsonpath={.data.key}=2", "--for", "60s"];
    let (code, said) = unread(server.informer(&until)).await;
    assert!(code == 4 && said.contains("it is not known whether --until holds"), "{code} {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_and_diff_do_not_fall_back_on_the_embedded_server() {
    for command in ["get", "diff"] {
        let said = run(informer(&[command, "pods"])).await;
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.starts_with("error: no cluster: ") && said.err.contains("--embedded"), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_that_cannot_be_used_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let broken = directory.path().join("broken.yaml");
    std::fs::write(&broken, "clusters: [").expect("a file");
    for file in [broken, directory.path().join("missing.yaml")] {
        for command in ["watch", "get"] {
            let mut informer = informer(&[command, "pods", "--kubeconfig"]);
            informer.arg(&file);
            let said = run(informer).await;
            assert_eq!(said.code, 3, "{said:?}");
            let named = format!("error: kubeconfig {} cannot be used: ", file.display());
            assert!(said.err.starts_with(&named), "{said:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_kubeconfig_brings_the_way_to_do_without_a_cluster() {
    let directory = tempfile::tempdir().expect("a directory");
    let kubeconfigs = directory.path().join(".kube");
    std::fs::create_dir(&kubeconfigs).expect("a directory");
    // Nothing listens at a port that was just given back.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    std::fs::write(kubeconfigs.join("config"), kubeconfig(&format!("http://{gone}"))).expect("a kubeconfig");
    for command in ["watch", "get", "diff"] {
        let mut informer = informer(&[command, "deployments"]);
        informer.env("HOME", directory.path());
        let said = run(informer).await;
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.ends_with("; --embedded runs on a simulated cluster\n"), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_that_cannot_be_had_are_the_clusters_matter_and_say_whose() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("kubeconfig");
    for (user, expected) in [
        (
            "{ exec: { command: no-such-plugin, installHint: brew install it } }",
            "the credential plugin \"no-such-plugin\" cannot be run: ",
        ),
        (
            "{ exec: { command: sh, args: [-c, 'echo log in first >&2; exit 2'], interactiveMode: Never } }",
            "the credential plugin \"sh\" failed: exit status: 2: log in first",
        ),
        ("{ token: \"a\\nb\" }", "it has a line break"),
    ] {
        let text = kubeconfig("http://127.0.0.1:1").replace("user: {}", &format!("user: {user}"));
        std::fs::write(&file, text).expect("a kubeconfig");
        for command in ["get", "watch", "diff", "top"] {
            let mut informer = informer(&[command, "pods", "--kubeconfig"]);
            informer.arg(&file);
            if command == "top" {
                informer.arg("--once");
            }
            let said = run(informer).await;
            assert_eq!(said.code, 3, "{command}: {said:?}");
            assert!(said.err.contains(expected), "{command}: {said:?}");
            assert_eq!(said.err.contains("\nbrew install it\n"), user.contains("installHint"), "{said:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there() {
    let server = Server::start().await;
    let command = server.informer(&["get", "pods", "--timeout", "1s"]);
    let address = server.endpoint.url();
    let kept = server.kubeconfig();
    let text = std::fs::read(&kept).expect("a kubeconfig");
    let Server { endpoint, .. } = server;
    endpoint.stop().await;
    std::fs::create_dir_all(kept.parent().expect("a directory")).expect("a directory");
    std::fs::write(&kept, text).expect("a kubeconfig");
    let said = run(command).await;
    std::fs::remove_dir_all(kept.parent().expect("a directory")).expect("it is removed");
    assert_eq!(said.code, 3, "{said:?}");
    let host = address.trim_start_matches("http://").trim_end_matches('/');
    assert!(said.err.contains(host), "the server is named: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_access_names_the_rights_that_are_missing() {
    let server = Server::start().await;
    server.api.inject(ServerFault::forbidden().resource("pods").on(Verb::List));
    server.api.inject(ServerFault::forbidden().resource("pods").on(Verb::Watch));
    let said = run(server.informer(&["get", "pods", "--timeout", "2s"])).await;
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.err.contains("HTTP 403") && said.err.contains("pods"), "{said:?}");
    assert!(said.err.contains("list") && said.err.contains("watch"), "what to do: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_command_line_is_explained() {
    let said = run(informer(&["wach", "pods"])).await;
    assert_eq!(said.code, 2);
    assert!(said.err.contains("'wach'") && said.err.contains("watch"), "{said:?}");
    let said = run(informer(&["get", "pods", "-o", "xml"])).await;
    assert_eq!(said.code, 2);
    assert!(said.err.contains("expected table, wide, json, yaml or name"), "{said:?}");
    let said = run(informer(&["watch"])).await;
    assert_eq!(said.code, 2);
    assert!(said.err.contains("<KIND>..."), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn help_has_examples_and_exit_codes_and_shells_get_completions() {
    let said = run(informer(&["--help"])).await;
    assert!(said.code == 0 && said.out.contains("Exit codes:") && said.out.contains("Examples:"), "{said:?}");
    for command in ["watch", "get", "diff", "serve"] {
        let said = run(informer(&[command, "--help"])).await;
        assert!(said.code == 0 && said.out.contains(&format!("informer {command}")), "{said:?}");
        assert!(said.out.contains("Examples:"), "{said:?}");
    }
    let said = run(informer(&["completions", "bash"])).await;
    assert!(said.code == 0 && said.out.contains("_informer"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_only_kubectl_has_are_refused_with_its_command() {
    for (options, advice) in [
        (&["-o", "jsonpath={.items[*].metadata.name}"][..], "`kubectl get … -o jsonpath=…`"),
        (&["-o", "go-template={{.kind}}"], "`kubectl get … -o go-template=…`"),
        (&["-o", "custom-columns=NAME:.metadata.name"], "`informer get … --field PATH`"),
        (&["--sort-by=.metadata.name"], "`kubectl get … --sort-by=PATH`"),
        (&["--field", "spec..x"], "\"spec..x\" is not a path to a field"),
        (&["-o", "json", "--field", "spec.x"], "--field is for the forms table and wide"),
    ] {
        let said = run(informer(&[&["get", "pods"], options].concat())).await;
        assert!(said.code == 2 && said.err.contains(advice), "{options:?}: {said:?}");
    }
}

use super::*;

fn text(status: Option<u16>, message: &str) -> String {
    let kind = KindInfo::new("apps", "v1", "Deployment", "deployments");
    let cause = Cause::Watch { status, message: message.into() };
    Failure { kind, scope: Some(Scope::namespace("shop")), cause }.to_string()
}

#[test]
fn a_failed_request_names_kind_scope_status_and_what_to_do() {
    assert_eq!(
        text(Some(403), "forbidden"),
        "cannot watch deployments.apps in namespace \"shop\" (HTTP 403): forbidden; grant the verbs list and \
         watch on deployments.apps to the account the program runs as"
    );
    assert!(text(Some(404), "not found").contains("apps/v1 Deployment is not served there"));
    assert_eq!(
        text(Some(500), "boom"),
        "cannot watch deployments.apps in namespace \"shop\" (HTTP 500): boom"
    );
}

#[test]
fn without_an_answer_the_text_tells_what_to_do() {
    for (message, advice) in [
        ("invalid peer certificate: UnknownIssuer", "check certificate-authority in the kubeconfig"),
        ("invalid peer certificate: Expired", "check the server's certificate"),
        ("tcp connect error: Connection refused (os error 111)", "nothing listens there"),
        ("dns error: failed to lookup address information", "its name cannot be resolved"),
        ("the answer is not JSON: expected an object", "no Kubernetes API server answers like this"),
        ("tunnel error: unsuccessful", "the proxy does not connect to the server"),
        ("tunnel error: proxy authorization required", "the proxy wants a user and password"),
        ("SOCKS error: credentials not accepted", "the proxy wants a user and password"),
        ("SOCKS error: connection refused", "the proxy does not connect to the server"),
        (
            "tunnel error: failed to create underlying connection: tcp connect error: Connection refused",
            "check the proxy's address",
        ),
    ] {
        assert!(text(None, message).contains(advice), "{}", text(None, message));
    }
    assert!(text(None, "connection reset by peer").ends_with(": connection reset by peer"));
}

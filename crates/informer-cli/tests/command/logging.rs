//! What the libraries log.

use crate::support::{informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn what_informers_do_is_logged_if_that_is_asked_for() {
    let get = ["get", "nodes", "--embedded", "-o", "name"];
    let quiet = run(informer(&get)).await;
    assert!(quiet.code == 0 && quiet.err.is_empty(), "{quiet:?}");
    let logged = "DEBUG kube_informer::reflector::driver: reading the list";
    let verbose = run(informer(&[&get[..], &["-v"]].concat())).await;
    assert!(verbose.code == 0 && verbose.out == quiet.out, "{verbose:?}");
    assert!(verbose.err.contains(logged) && !verbose.err.contains("TRACE"), "{verbose:?}");
    let all = run(informer(&[&get[..], &["-vv"]].concat())).await;
    assert!(all.code == 0 && all.out == quiet.out && all.err.contains(logged), "{all:?}");
    let chosen = |directives: &str| {
        let mut command = informer(&get);
        command.env("RUST_LOG", directives);
        run(command)
    };
    assert!(chosen("kube_informer=debug,warn").await.err.contains(logged));
    assert_eq!(chosen("kube_informer=warn").await.err, "");
    // For another program: a filter by spans.
    for other in ["web[request{path=/a}]=debug", "kube_informer=loud"] {
        let said = chosen(other).await;
        assert!(said.code == 0 && said.out == quiet.out, "{said:?}");
        let expected = "nothing is logged: RUST_LOG is not such as `debug` or `kube_informer=debug,warn`: ";
        assert!(said.err.starts_with(expected) && said.err.lines().count() == 1, "{said:?}");
    }
}

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use kube_client::client::Body;

use super::*;

/// A client that answers nothing, and is never asked.
fn client() -> Client {
    let service = service_fn(|_: http::Request<Body>| async {
        Ok::<_, Infallible>(http::Response::new(Body::empty()))
    });
    Client::new(service, "default")
}

/// Without files.
const NO_FILES: Option<fn() -> Changed> = None;

fn counting_with(
    look: Option<impl Fn() -> Changed + Send + Sync + 'static>,
    valid_for: Option<i64>,
) -> (Arc<Renewable>, Arc<AtomicUsize>) {
    let built = Arc::new(AtomicUsize::new(0));
    let count = built.clone();
    let build = move || {
        count.fetch_add(1, Ordering::Relaxed);
        let until =
            valid_for.map(|seconds| Timestamp::from_second(Timestamp::now().as_second() + seconds).unwrap());
        Ok(client().with_valid_until(until))
    };
    (Arc::new(Renewable::new(look, build).unwrap()), built)
}

fn counting(valid_for: Option<i64>) -> (Arc<Renewable>, Arc<AtomicUsize>) {
    counting_with(NO_FILES, valid_for)
}

#[tokio::test]
async fn d18_a_client_is_kept_while_nothing_changes() {
    let (renewable, built) = counting(Some(3_600));
    for _ in 0..3 {
        renewable.client().await;
    }
    assert_eq!(built.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn d18_a_401_renews_once() {
    let (renewable, built) = counting(None);
    let (_, sent) = renewable.client().await;
    renewable.refused(sent);
    renewable.client().await;
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 2);
    renewable.refused(sent);
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 2, "that was about the old credentials");
}

#[tokio::test]
async fn d18_an_expiring_certificate_renews_before_each_request() {
    let (renewable, built) = counting(Some(30));
    for _ in 0..3 {
        renewable.client().await;
    }
    assert_eq!(built.load(Ordering::Relaxed), 4, "the next one may be another, however new this one is");
}

#[tokio::test]
async fn d18_requests_at_the_same_time_renew_once_for_all() {
    // Certificates that expire soon, one after the other. None is there before all have asked for it.
    let (all_ask, gate) = std::sync::mpsc::channel();
    let (gate, built) = (Mutex::new(gate), Arc::new(AtomicUsize::new(0)));
    let count = built.clone();
    let build = move || {
        if count.fetch_add(1, Ordering::Relaxed) > 0 {
            gate.lock().recv().unwrap();
        }
        Ok(client().with_valid_until(Some(Timestamp::now())))
    };
    let renewable = Renewable::new(NO_FILES, build).unwrap();
    for round in 2..5 {
        let mut requests: Vec<_> = (0..50).map(|_| Box::pin(renewable.client())).collect();
        for request in &mut requests {
            assert!(futures::poll!(request).is_pending());
        }
        all_ask.send(()).unwrap();
        futures::future::join_all(requests).await;
        assert_eq!(built.load(Ordering::Relaxed), round);
    }
    // Refused ones, of which each watch hears by itself.
    let (renewable, built) = counting(None);
    let (_, sent) = renewable.client().await;
    let answers = (0..50).map(|_| async {
        renewable.refused(sent);
        renewable.client().await;
    });
    futures::future::join_all(answers).await;
    assert_eq!(built.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn d18_a_plugin_that_fails_is_asked_once_for_all() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let build = move || match count.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(client()),
        _ => Err(kube_client::Error::TlsRequired),
    };
    let renewable = Renewable::new(NO_FILES, build).unwrap();
    let (_, sent) = renewable.client().await;
    renewable.refused(sent);
    futures::future::join_all((0..50).map(|_| renewable.client())).await;
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn d18_files_are_looked_at_beside_the_async_thread_and_without_a_lock() {
    let here = thread::current().id();
    let looked = Arc::new(Mutex::new(Vec::new()));
    let (log, shared) = (looked.clone(), Arc::new(Mutex::new(None::<Arc<Renewable>>)));
    let of = shared.clone();
    let look = move || {
        let unlocked = of.lock().as_ref().is_none_or(|renewable| renewable.current.try_lock().is_some());
        log.lock().push((thread::current().id() == here, unlocked));
        Changed::new()
    };
    let (renewable, built) = counting_with(Some(look), None);
    *shared.lock() = Some(renewable.clone());
    renewable.client().await;
    assert_eq!(looked.lock()[1..], [(false, true)], "the first was when it was built");
    assert_eq!(built.load(Ordering::Relaxed), 1);
    shared.lock().take();
}

#[tokio::test]
async fn d18_a_changed_certificate_file_renews_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tls.crt");
    std::fs::write(&file, "one").unwrap();
    let files = vec![file.clone()];
    let (renewable, built) = counting_with(Some(move || changed(&files)), None);
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 1);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    futures::future::join_all((0..50).map(|_| renewable.client())).await;
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 2);
    std::fs::remove_file(&file).unwrap();
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 3, "a file that is gone is a change too");
}

#[tokio::test]
async fn d18_what_cannot_be_renewed_stays() {
    let failing = Arc::new(AtomicBool::new(false));
    let fails = failing.clone();
    let build = move || {
        if fails.load(Ordering::Relaxed) { Err(kube_client::Error::TlsRequired) } else { Ok(client()) }
    };
    let renewable = Arc::new(Renewable::new(NO_FILES, build).unwrap());
    failing.store(true, Ordering::Relaxed);
    let (_, sent) = renewable.client().await;
    renewable.refused(sent);
    renewable.client().await;
    Arc::new(Renewable::fixed(client())).client().await;
}

#[test]
fn the_user_agent_names_the_program_and_the_library() {
    let library = concat!("kube-informer/", env!("CARGO_PKG_VERSION"));
    assert_eq!(user_agent(Some("my-operator/1.2")), format!("my-operator/1.2 {library}"));
    assert_eq!(user_agent(Some(" a\nb\u{e9} ")), format!("ab {library}"));
    assert_eq!(user_agent(Some("")), library);
    let own = user_agent(None);
    assert!(own.to_str().unwrap().starts_with("kube_informer-"), "{own:?}");
}

use std::convert::Infallible;
use std::sync::atomic::AtomicUsize;

use super::*;

/// A client that answers nothing, and is never asked.
fn client() -> Client {
    let service = tower::service_fn(|_: http::Request<Body>| async {
        Ok::<_, Infallible>(http::Response::new(Body::empty()))
    });
    Client::new(service, "default")
}

fn counting(files: Vec<PathBuf>, valid_for: Option<i64>) -> (Arc<Renewable>, Arc<AtomicUsize>) {
    let built = Arc::new(AtomicUsize::new(0));
    let count = built.clone();
    let build = move || {
        count.fetch_add(1, Ordering::Relaxed);
        let until =
            valid_for.map(|seconds| Timestamp::from_second(Timestamp::now().as_second() + seconds).unwrap());
        Ok(client().with_valid_until(until))
    };
    (Arc::new(Renewable::new(files, build).unwrap()), built)
}

#[tokio::test]
async fn d18_a_client_is_kept_while_nothing_changes() {
    let (renewable, built) = counting(Vec::new(), Some(3_600));
    for _ in 0..3 {
        renewable.client().await;
    }
    assert_eq!(built.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn d18_a_401_renews_once() {
    let (renewable, built) = counting(Vec::new(), None);
    renewable.refused();
    renewable.client().await;
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn d18_an_expiring_certificate_renews() {
    let (renewable, built) = counting(Vec::new(), Some(30));
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn d18_a_changed_certificate_file_renews_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tls.crt");
    std::fs::write(&file, "one").unwrap();
    let (renewable, built) = counting(vec![file.clone()], None);
    renewable.client().await;
    assert_eq!(built.load(Ordering::Relaxed), 1);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    renewable.client().await;
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
    let build = move || match fails.load(Ordering::Relaxed) {
        true => Err(kube_client::Error::TlsRequired),
        false => Ok(client()),
    };
    let renewable = Arc::new(Renewable::new(Vec::new(), build).unwrap());
    failing.store(true, Ordering::Relaxed);
    renewable.refused();
    renewable.client().await;
    Arc::new(Renewable::fixed(client())).client().await;
}

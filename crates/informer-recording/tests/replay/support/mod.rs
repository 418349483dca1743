//! A recording in memory, and an informer that says what its handler heard.

mod unpacked;

use std::future::pending;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use informer_recording::{Recorder, Recording};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::ObjectMeta;
use kube_informer::error::SourceError;
use kube_informer::source::{ByteStream, ListWatch, Request};
use kube_informer::{Event, InformerBuilder, SharedInformer, async_handler};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::unpacked::unpacked;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Nothing here takes longer; on a paused clock it costs nothing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct File(Arc<Mutex<Vec<u8>>>);

impl File {
    pub(crate) fn recorder(&self) -> Recorder {
        Recorder::to_writer(self.clone()).expect("memory can be written to")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().clone()
    }

    pub(crate) fn recording(&self) -> Recording {
        Recording::from_bytes(&self.0.lock()).expect("a recording")
    }

    /// Everything that is in it, unpacked.
    pub(crate) fn text(&self) -> String {
        unpacked(&self.bytes())
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The chunks of a body, and the error that it breaks off with.
type Answer = Result<(Vec<String>, Option<String>), SourceError>;

/// A source with answers that are given one after the other, whatever is asked for.
pub(crate) struct Canned(Mutex<std::vec::IntoIter<Answer>>);

impl Canned {
    pub(crate) fn new<const N: usize>(answers: [Answer; N]) -> Self {
        Self(Mutex::new(Vec::from(answers).into_iter()))
    }
}

impl ListWatch for Canned {
    fn open(&self, _: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let answer = self.0.lock().next().expect("another answer");
        let body = answer.map(|(chunks, broken)| {
            let chunks = chunks.into_iter().map(|chunk| Ok(Bytes::from(chunk)));
            stream::iter(chunks.chain(broken.map(|why| Err(SourceError::transport(why))))).boxed()
        });
        async { body }.boxed()
    }
}

/// A body in chunks that end at random places.
pub(crate) fn chunks(body: &str, random: &mut fastrand::Rng) -> Vec<String> {
    let (mut chunks, mut chunk) = (Vec::new(), String::new());
    for c in body.chars() {
        chunk.push(c);
        if random.u8(..12) == 0 {
            chunks.push(std::mem::take(&mut chunk));
        }
    }
    chunks.extend(Some(chunk).filter(|chunk| !chunk.is_empty()));
    chunks
}

/// Lets time pass. On a paused clock that is until everything that can be done has been done.
pub(crate) async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}

pub(crate) fn config_map(name: &str, text: &str) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some("default".to_owned()),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, data: Some([("text".to_owned(), text.to_owned())].into()), ..ConfigMap::default() }
}

/// A running informer of ConfigMaps. Stopped when dropped.
pub(crate) struct Watched {
    pub(crate) informer: SharedInformer<ConfigMap>,
    heard: Arc<Mutex<Vec<String>>>,
    failures: Arc<Mutex<Vec<String>>>,
    running: JoinHandle<()>,
}

/// What an informer did: the calls of its handler, the failures that it told of, and its objects in the end.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) heard: Vec<String>,
    pub(crate) failures: Vec<String>,
    pub(crate) objects: Vec<String>,
}

impl Watched {
    pub(crate) fn start(source: impl ListWatch) -> Self {
        Self::with(SharedInformer::builder(source))
    }

    pub(crate) fn with(builder: InformerBuilder<ConfigMap>) -> Self {
        let (heard, failures) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let hears = failures.clone();
        let informer = builder
            .on_error(move |failure| hears.lock().push(failure.to_string()))
            .build()
            .expect("an informer");
        let hears = heard.clone();
        let handler = async_handler(move |event: Event<ConfigMap>| {
            hears.lock().push(told(&event));
            async {}
        });
        informer.add_event_handler(handler.every_event(100_000)).expect("it can be added");
        let runs = informer.clone();
        let running = tokio::spawn(async move { runs.run(pending()).await.expect("it runs") });
        Self { informer, heard, failures, running }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        let mut objects: Vec<String> = self
            .informer
            .lister()
            .list()
            .iter()
            .map(|object| String::from_utf8_lossy(&object.raw_json()).into_owned())
            .collect();
        objects.sort();
        Outcome { heard: self.heard.lock().clone(), failures: self.failures.lock().clone(), objects }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// What a recording makes an informer do.
pub(crate) async fn replayed(recording: &Recording) -> Outcome {
    let watched = Watched::start(recording.clone());
    timeout(PATIENCE, recording.wait_ended()).await.expect("it comes to its end");
    pass(SECOND / 10).await;
    watched.outcome()
}

fn told(event: &Event<ConfigMap>) -> String {
    match event {
        Event::Added { object, initial } => {
            format!("added {} {} {initial}", object.key(), object.resource_version())
        }
        Event::Updated { old, new, .. } => {
            format!("updated {} {} {}", new.key(), old.resource_version(), new.resource_version())
        }
        Event::Deleted { object, final_state_known, .. } => {
            format!("deleted {} {} {final_state_known}", object.key(), object.resource_version())
        }
        other => format!("{other:?}"),
    }
}

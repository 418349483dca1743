//! A recording that is replayed.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kube_informer::Kind;
use kube_informer::kind::{IntoKind, KindInfo};

use crate::exchange::Exchange;
use crate::file::{self, Unreadable};
use crate::record::What;
use crate::replay::{Replay, Speed};
use crate::target::{Resource, decoded};

/// A recording, and how far it has been replayed. Clones share both; [`again`](Self::again) begins anew.
///
/// It is a [`ListWatch`](kube_informer::source::ListWatch), and so a source for an informer, if objects of one kind were
/// recorded; [`for_kind`](Self::for_kind) is the source of one kind of several. As
/// [`Sources`](kube_informer::source::Sources) it serves a whole factory. Every request gets the answer that was recorded for the
/// same request at the same place in the order, failures among them; chunks come at the times of the recording,
/// at the [speed](Self::speed) that is asked for.
///
/// ```no_run
/// use std::time::Duration;
///
/// use informer_recording::{Recording, Speed};
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::SharedInformer;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::open("pods.recording")?.speed(Speed::Fastest);
/// let pods = SharedInformer::<Pod>::builder(recording.clone()).build()?;
/// let running = tokio::spawn({
///     let pods = pods.clone();
///     async move { pods.run(std::future::pending()).await }
/// });
/// pods.wait_synced(Duration::from_secs(30)).await?;
/// recording.wait_ended().await;
/// println!("{} pods in the end", pods.lister().len());
/// running.abort();
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recording {
    pub(crate) contents: Arc<Contents>,
    pub(crate) replay: Arc<Replay>,
}

pub(crate) struct Contents {
    pub(crate) exchanges: Vec<Exchange>,
    is_cut: bool,
    is_too_large: bool,
    began: Option<u64>,
}

impl Contents {
    /// When the last thing happened.
    pub(crate) fn end(&self) -> Duration {
        let last = self.exchanges.iter().filter_map(|exchange| exchange.steps.last());
        last.map(|step| step.at).max().unwrap_or_default()
    }
}

/// The objects of one kind that were recorded, and which of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedKind {
    /// Their kind. Its name is not known if a client of another make asked for it and never got an object.
    pub kind: KindInfo,
    /// The namespaces that were asked for; empty if it was all of them.
    pub namespaces: Vec<String>,
    /// The label selector of the first request.
    pub labels: Option<String>,
    /// The field selector of the first request.
    pub fields: Option<String>,
    /// Whether the first request was for metadata only.
    pub metadata_only: bool,
}

/// Why a file cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {cause}")]
#[non_exhaustive]
pub struct OpenError {
    path: String,
    #[source]
    cause: Cause,
}

#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl OpenError {
    /// Whether the file is there, but is no recording.
    pub fn is_not_a_recording(&self) -> bool {
        matches!(self.cause, Cause::Unreadable(Unreadable::NotARecording))
    }

    /// Whether the recording was made by a newer version of this crate.
    pub fn is_newer(&self) -> bool {
        matches!(self.cause, Cause::Unreadable(Unreadable::Newer(_)))
    }

    /// Whether bytes in the middle of the file are not what was written.
    pub fn is_damaged(&self) -> bool {
        matches!(self.cause, Cause::Unreadable(Unreadable::Damaged { .. }))
    }
}

impl Recording {
    /// Reads a recording into memory. A file that was [cut short](Self::is_cut), or is [too large](Self::is_too_large), is read as
    /// far as it goes.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let read = std::fs::read(path).map_err(Cause::from);
        read.and_then(|bytes| Self::parse(&bytes).map_err(Cause::from))
            .map_err(|cause| OpenError { path: path.display().to_string(), cause })
    }

    /// The same from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, OpenError> {
        let parsed = Self::parse(bytes).map_err(Cause::from);
        parsed.map_err(|cause| OpenError { path: "the recording".to_owned(), cause })
    }

    fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        let file::Contents { records, is_cut, is_too_large } = file::read(bytes)?;
        let began = records.iter().find_map(|record| match &record.what {
            What::Began(began) => Some(began.unix_millis),
            _ => None,
        });
        let exchanges = Exchange::all(records);
        Ok(Self::of(Contents { exchanges, is_cut, is_too_large, began }, Speed::AsRecorded))
    }

    #[cfg(test)]
    pub(crate) fn of_exchanges(exchanges: Vec<Exchange>, speed: Speed) -> Self {
        Self::of(Contents { exchanges, is_cut: false, is_too_large: false, began: None }, speed)
    }

    fn of(contents: Contents, speed: Speed) -> Self {
        let contents = Arc::new(contents);
        Self { replay: Arc::new(Replay::new(&contents, speed)), contents }
    }

    /// How fast it is replayed; [as recorded](Speed::AsRecorded) unless something else is said. Begins anew.
    #[must_use]
    pub fn speed(self, speed: Speed) -> Self {
        Self { replay: Arc::new(Replay::new(&self.contents, speed)), contents: self.contents }
    }

    /// The same recording at its beginning.
    #[must_use]
    pub fn again(&self) -> Self {
        self.clone().speed(self.replay.speed())
    }

    /// Whether the file ends in the middle, because the program that wrote it died or the file was copied in part. All that
    /// was written up to a second before the cut is there.
    pub fn is_cut(&self) -> bool {
        self.contents.is_cut
    }

    /// Whether only the beginning of the file was read, because all of it would take too much memory: more than 1 GiB and 64
    /// times the size of the file. Nothing is wrong with the file, and `zstd -dc` shows all of it.
    pub fn is_too_large(&self) -> bool {
        self.contents.is_too_large
    }

    /// When it was made, in milliseconds since 1970.
    pub fn began(&self) -> Option<u64> {
        self.contents.began
    }

    /// From the first request to the last thing that happened.
    pub fn duration(&self) -> Duration {
        let exchanges = &self.contents.exchanges;
        let first = exchanges.first().map(|exchange| exchange.at).unwrap_or_default();
        self.contents.end().saturating_sub(first)
    }

    /// How many requests it has.
    pub fn requests(&self) -> usize {
        self.contents.exchanges.len()
    }

    /// The kinds whose objects were listed or watched, in the order in which they were asked for.
    pub fn kinds(&self) -> Vec<RecordedKind> {
        let mut kinds: Vec<RecordedKind> = Vec::new();
        for exchange in self.contents.exchanges.iter().filter(|exchange| exchange.is_of_objects()) {
            let (Some(kind), Some(resource)) = (exchange.kind(), Resource::of(&exchange.target.path)) else {
                continue;
            };
            let same = |known: &&mut RecordedKind| {
                known.kind.resource() == kind.resource() && known.kind.version() == kind.version()
            };
            match kinds.iter_mut().find(same) {
                Some(known) => {
                    if known.kind.kind().is_empty() {
                        known.kind = kind;
                    }
                    let new = resource.namespace.filter(|namespace| !known.namespaces.contains(namespace));
                    // All namespaces stay all.
                    known.namespaces.extend(new.filter(|_| !known.namespaces.is_empty()));
                }
                None => {
                    let selector = |name| exchange.target.parameter(name).map(decoded);
                    kinds.push(RecordedKind {
                        kind,
                        namespaces: resource.namespace.into_iter().collect(),
                        labels: selector("labelSelector"),
                        fields: selector("fieldSelector"),
                        metadata_only: exchange.line.form.is_some(),
                    });
                }
            }
        }
        kinds
    }

    /// The recording of some kinds alone, at its beginning.
    #[must_use]
    pub fn only<'a>(self, kinds: impl IntoIterator<Item = &'a KindInfo>) -> Self {
        let kinds: Vec<&KindInfo> = kinds.into_iter().collect();
        self.replay.leave_out(
            |exchange| {
                let resource = Resource::of(&exchange.target.path);
                exchange.is_of_objects()
                    && !resource.is_some_and(|resource| kinds.iter().any(|kind| resource.is_of(kind)))
            },
            &self.contents,
        );
        self
    }

    /// The source of one kind of the recording.
    pub fn for_kind(&self, kind: impl IntoKind) -> crate::ReplayedSource {
        crate::ReplayedSource::new(self.clone(), Some(kind.into_kind()))
    }

    /// The source of a type of objects.
    pub fn for_type<K: Kind<Dynamic = ()>>(&self) -> crate::ReplayedSource {
        self.for_kind(K::info(&()))
    }

    /// How many lists and watches of the recording have not been asked for, or not been read to their end yet.
    pub fn remaining(&self) -> usize {
        self.replay.remaining()
    }

    /// Waits until every list and watch of the recording has been asked for and read to its end. Watches that were open when the
    /// recording ended stay open after that, and are silent.
    pub async fn wait_ended(&self) {
        self.replay.wait_ended().await;
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("requests", &self.requests())
            .field("remaining", &self.remaining())
            .field("is_cut", &self.is_cut())
            .field("is_too_large", &self.is_too_large())
            .finish_non_exhaustive()
    }
}

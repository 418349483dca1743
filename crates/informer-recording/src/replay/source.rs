//! A recording as the source of informers.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use kube_informer::error::SourceError;
use kube_informer::kind::KindInfo;
use kube_informer::source::{ByteStream, ListWatch, Request, Sources};
use serde_json::Value;

use super::{Asked, Match, Playing};
use crate::exchange::Happened;
use crate::record::{Head, METADATA, RequestLine};
use crate::recording::Recording;
use crate::target::{Resource, Target};

/// The source of one kind of a [`Recording`].
#[derive(Clone)]
pub struct ReplayedSource {
    recording: Recording,
    kind: Option<KindInfo>,
}

impl ReplayedSource {
    pub(crate) fn new(recording: Recording, kind: Option<KindInfo>) -> Self {
        Self { recording, kind }
    }

    fn only_kind(&self) -> Result<KindInfo, SourceError> {
        if let Some(kind) = &self.kind {
            return Ok(kind.clone());
        }
        let kinds = self.recording.kinds();
        match kinds.as_slice() {
            [only] => Ok(only.kind.clone()),
            [] => Err(SourceError::transport("no objects of any kind were recorded")),
            several => {
                let names: Vec<_> = several.iter().map(|one| one.kind.resource()).collect();
                Err(SourceError::transport(format!(
                    "objects of several kinds were recorded, {}: `Recording::for_kind` is the source of one",
                    names.join(", ")
                )))
            }
        }
    }
}

impl ListWatch for ReplayedSource {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let this = self.clone();
        Box::pin(async move {
            let form = request.is_metadata_only().then_some(METADATA);
            let line = RequestLine::get(request.path_and_query(&this.only_kind()?), form);
            this.recording.open_line(&line).await
        })
    }
}

impl ListWatch for Recording {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        ReplayedSource::new(self.clone(), None).open(request)
    }
}

impl Sources for Recording {
    fn source(&self, kind: &KindInfo) -> Arc<dyn ListWatch> {
        Arc::new(self.for_kind(kind.clone()))
    }

    fn document(&self, path: &str) -> BoxFuture<'static, Result<Bytes, SourceError>> {
        let (this, path) = (self.clone(), path.to_owned());
        Box::pin(async move {
            let chunks = this.open_line(&RequestLine::get(path, None)).await?;
            let chunks: Vec<_> = chunks.collect().await;
            let chunks: Result<Vec<Bytes>, _> = chunks.into_iter().collect();
            Ok(chunks?.concat().into())
        })
    }
}

impl Recording {
    async fn open_line(&self, line: &RequestLine) -> Result<ByteStream, SourceError> {
        let target = Target::parse(&line.target);
        // Documents of discovery do not change while a program runs, as far as a recording goes.
        let repeats = Resource::of(&target.path).is_none();
        let asked = Asked { line, target: &target, repeats, has_choice: false };
        match self.replay.find(&self.contents, &asked) {
            Match::Recorded(playing) => opened(playing).await,
            Match::Silent => Ok(stream::pending().boxed()),
            Match::NotStreamed => Err(SourceError::http(
                400,
                "BadRequest",
                "the recording has lists that were not streamed: sendInitialEvents is not supported",
            )),
            Match::Unknown => Err(SourceError::transport(format!(
                "the recording has no answer to GET {}: it was not asked for, or not as often",
                line.target
            ))),
        }
    }
}

/// The head of an answer, then its body.
async fn opened(mut playing: Playing) -> Result<ByteStream, SourceError> {
    let head = loop {
        match playing.next().await {
            Happened::Answer(head) => break head,
            Happened::Failed(text) => return Err(SourceError::transport(text)),
            Happened::Left => return Err(SourceError::transport("the answer was not waited for")),
            Happened::Chunk(_) | Happened::End => {}
        }
    };
    if !(200..300).contains(&head.status) {
        return Err(refusal(&head, playing).await);
    }
    let body = stream::unfold(Some(playing), |playing| async move {
        let mut playing = playing?;
        match playing.next().await {
            Happened::Chunk(bytes) => Some((Ok(bytes), Some(playing))),
            Happened::Failed(text) => Some((Err(SourceError::transport(text)), None)),
            Happened::Answer(_) | Happened::End | Happened::Left => None,
        }
    });
    Ok(body.boxed())
}

/// The error that an answer is.
async fn refusal(head: &Head, mut playing: Playing) -> SourceError {
    let mut body = Vec::new();
    while let Happened::Chunk(bytes) = playing.next().await {
        body.extend_from_slice(&bytes);
    }
    let status: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |name: &str| status[name].as_str().unwrap_or_default().to_owned();
    let mut error = SourceError::http(head.status, text("reason"), text("message"));
    let seconds = head.retry_after.or_else(|| status["details"]["retryAfterSeconds"].as_u64());
    if let Some(seconds) = seconds.filter(|seconds| *seconds > 0) {
        error = error.with_retry_after(std::time::Duration::from_secs(seconds));
    }
    for cause in status["details"]["causes"].as_array().into_iter().flatten() {
        for field in ["reason", "message"] {
            if let Some(text) = cause[field].as_str().filter(|text| !text.is_empty()) {
                error = error.with_cause(text);
            }
        }
    }
    error
}

impl fmt::Debug for ReplayedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplayedSource").field("kind", &self.kind).finish_non_exhaustive()
    }
}

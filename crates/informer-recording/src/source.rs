//! Sources that record what passes through them.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{Stream, StreamExt as _};
use kube_client::Client;
use kube_informer::error::SourceError;
use kube_informer::kind::{IntoKind, KindInfo};
use kube_informer::source::{ByteStream, HttpSources, ListWatch, Request, Sources};

use crate::record::{Head, METADATA, RequestLine};
use crate::recorder::{Recorder, Tape};

impl Recorder {
    /// Records what an informer of a kind gets from a source.
    pub fn source(&self, kind: impl IntoKind, source: impl ListWatch) -> RecordedSource {
        RecordedSource { recorder: self.clone(), kind: kind.into_kind(), source: Arc::new(source) }
    }

    /// Records what all informers of a factory get, and what it finds out about kinds. For a cluster these sources are an
    /// [`HttpSources`].
    pub fn sources(&self, sources: impl Sources) -> RecordedSources {
        RecordedSources { recorder: self.clone(), sources: Arc::new(sources) }
    }
}

/// The source of one kind, recorded.
#[derive(Clone)]
pub struct RecordedSource {
    recorder: Recorder,
    kind: KindInfo,
    source: Arc<dyn ListWatch>,
}

impl ListWatch for RecordedSource {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let form = request.is_metadata_only().then_some(METADATA);
        let mut line = RequestLine::get(request.path_and_query(&self.kind), form);
        line.kind = Some((&self.kind).into());
        let mut tape = self.recorder.begin(line, request.is_sensitive());
        let opened = self.source.open(request);
        Box::pin(async move {
            match opened.await {
                Ok(body) => {
                    tape.answer(Head { status: 200, ..Head::default() });
                    Ok(RecordedBody { body, tape }.boxed())
                }
                Err(error) => {
                    tape.error(&error);
                    Err(error)
                }
            }
        })
    }

    fn server(&self) -> Option<&HttpSources> {
        self.source.server()
    }
}

impl fmt::Debug for RecordedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedSource").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The sources of a factory, recorded.
#[derive(Clone)]
pub struct RecordedSources {
    recorder: Recorder,
    sources: Arc<dyn Sources>,
}

impl Sources for RecordedSources {
    fn source(&self, kind: &KindInfo) -> Arc<dyn ListWatch> {
        let source = self.sources.source(kind);
        Arc::new(RecordedSource { recorder: self.recorder.clone(), kind: kind.clone(), source })
    }

    fn client(&self) -> Option<Client> {
        self.sources.client()
    }

    fn document(&self, path: &str) -> BoxFuture<'static, Result<Bytes, SourceError>> {
        let mut tape = self.recorder.begin(RequestLine::get(path, None), false);
        let asked = self.sources.document(path);
        Box::pin(async move {
            let document = asked.await;
            match &document {
                Ok(document) => {
                    tape.answer(Head { status: 200, ..Head::default() });
                    tape.chunk(document);
                    tape.end();
                }
                Err(error) => tape.error(error),
            }
            document
        })
    }
}

impl fmt::Debug for RecordedSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedSources").finish_non_exhaustive()
    }
}

/// A body that is recorded while it is read.
struct RecordedBody {
    body: ByteStream,
    tape: Tape,
}

impl Stream for RecordedBody {
    type Item = Result<Bytes, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.body.poll_next_unpin(context));
        match &next {
            Some(Ok(chunk)) => self.tape.chunk(chunk),
            Some(Err(error)) => self.tape.failed(&error.to_string()),
            None => self.tape.end(),
        }
        Poll::Ready(next)
    }
}

#[cfg(test)]
mod tests;

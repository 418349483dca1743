//! What becomes of one request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use kube_informer::error::SourceError;
use serde_json::json;

use super::Inner;
use crate::record::{Head, What};
use crate::redact::{About, without_credentials};
use crate::split::{Form, Piece, Splitter};

/// Takes note of what happens to a request. Dropped before the end, it takes note that nobody wants to hear the rest.
///
/// It never panics: it is in the way of the bytes that a program waits for. Where recording panics, the answer breaks off in the
/// recording, and the recorder says so.
pub(crate) struct Tape {
    inner: Arc<Inner>,
    exchange: u64,
    /// Method and path, for what the recorder says.
    name: String,
    splitter: Splitter,
    about: About,
    over: bool,
}

impl Tape {
    pub(super) fn new(inner: Arc<Inner>, exchange: u64, name: String, form: Form, about: About) -> Self {
        Self { inner, exchange, name, splitter: Splitter::new(form, about), about, over: false }
    }

    /// Of a request that cannot be recorded.
    pub(super) fn of_nothing(inner: Arc<Inner>) -> Self {
        let mut tape = Self::new(inner, 0, String::new(), Form::Document, About::default());
        tape.over = true;
        tape
    }

    pub(crate) fn answer(&mut self, head: Head) {
        self.guarded(|tape| tape.note_answer(head));
    }

    pub(crate) fn chunk(&mut self, chunk: &[u8]) {
        self.guarded(|tape| tape.note_chunk(chunk));
    }

    /// The body is complete.
    pub(crate) fn end(&mut self) {
        self.guarded(Self::note_end);
    }

    /// There was no answer, or the body broke off.
    pub(crate) fn failed(&mut self, why: &str) {
        self.guarded(|tape| tape.note_failed(why));
    }

    /// A source gave an error in the place of an answer. One of the server is written as the server sends it.
    pub(crate) fn error(&mut self, error: &SourceError) {
        self.guarded(|tape| match error.http_status() {
            None => tape.note_failed(&error.to_string()),
            Some(status) => {
                tape.note_answer(Head { status, ..Head::default() });
                tape.note_chunk(&status_document(error, status));
                tape.note_end();
            }
        });
    }

    /// Takes note of something, unless nothing more is to be noted.
    pub(super) fn guarded(&mut self, note: impl FnOnce(&mut Self)) {
        if self.over {
            return;
        }
        // Nothing of the tape is used again but what says that it is over.
        if catch_unwind(AssertUnwindSafe(|| note(self))).is_err() {
            self.over = true;
            self.inner.lose(std::mem::take(&mut self.name));
            // Neither the panic's message nor the text it panicked at: both may hold secrets.
            self.inner.write(self.exchange, What::Failed("the recorder panicked at this answer".to_owned()));
        }
    }

    fn note_answer(&mut self, head: Head) {
        if head.status >= 400 {
            self.inner.count(|recorded| recorded.failures += 1);
            // Whatever was asked for, this is one document.
            self.splitter = Splitter::new(Form::Document, self.about);
        }
        self.inner.write(self.exchange, What::Answer(head));
    }

    fn note_chunk(&mut self, chunk: &[u8]) {
        let before = self.splitter.documents();
        let pieces = self.splitter.take(chunk);
        self.pieces(pieces, chunk.len(), before);
    }

    fn note_end(&mut self) {
        self.rest(true);
        self.finish(What::End);
    }

    fn note_failed(&mut self, why: &str) {
        self.rest(false);
        self.inner.count(|recorded| recorded.failures += 1);
        let why = without_credentials(why).unwrap_or_else(|| why.to_owned());
        self.finish(What::Failed(why));
    }

    fn rest(&mut self, complete: bool) {
        let before = self.splitter.documents();
        let pieces = self.splitter.end(complete);
        self.pieces(pieces, 0, before);
    }

    fn pieces(&mut self, pieces: Vec<Piece>, came: usize, before: u64) {
        let documents = self.splitter.documents() - before;
        let mut hidden = 0;
        for piece in pieces {
            let what = match piece {
                Piece::Shown(bytes) => What::Chunk(Bytes::from(bytes)),
                Piece::Hidden(one) => {
                    hidden += one.bytes;
                    What::Hidden(one)
                }
            };
            self.inner.write(self.exchange, what);
        }
        self.inner.count(|recorded| {
            recorded.bytes += came as u64;
            recorded.documents += documents;
            recorded.hidden += hidden;
        });
    }

    fn finish(&mut self, what: What) {
        self.over = true;
        self.inner.write(self.exchange, what);
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.guarded(|tape| {
            tape.rest(false);
            tape.finish(What::Left);
        });
    }
}

fn status_document(error: &SourceError, status: u16) -> Vec<u8> {
    let causes: &[serde_json::Value] = if error.is_version_too_large() {
        &[json!({ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" })]
    } else {
        &[]
    };
    let details =
        json!({ "causes": causes, "retryAfterSeconds": error.retry_after().map(|wait| wait.as_secs()) });
    let document = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": status,
        "reason": error.reason().unwrap_or_default(), "message": error.to_string(), "details": details,
    });
    document.to_string().into_bytes()
}

use std::io::{self, Write};

use futures::stream;
use kube_informer::status::Scope;

use super::*;

/// A server with one answer, in these chunks.
struct Answers(&'static [&'static str]);

impl ListWatch for Answers {
    fn open(&self, _request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let chunks = self.0.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
        Box::pin(std::future::ready(Ok(stream::iter(chunks).boxed())))
    }
}

/// What a recording is written to.
struct Out {
    panics: bool,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // All but the header.
        assert!(!self.panics || bytes.starts_with(&[0x50]), "it panics");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn what_is_recorded_passes_through_unchanged_whatever_the_recorder_does() {
    const ORDINARY: &[&str] = &[
        "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"},\"spec\":{\"host\":\"my-app.default.svc\",\"see\":\"http",
        "s://example.com/README.md\",\"image\":\"ghcr.io/acme-corp/my-app.web:1\"}}]}",
    ];
    for panics in [false, true] {
        let recorder = Recorder::to_writer(Out { panics }).expect("the header is written");
        let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
        let source = recorder.source(kind, Answers(ORDINARY));
        for _ in 0..2 {
            let body = source.open(Request::list(Scope::All)).await.expect("an answer");
            let chunks: Vec<_> = body.map(|chunk| chunk.expect("a chunk")).collect().await;
            assert_eq!(chunks, ORDINARY);
            assert_eq!(recorder.finish().is_err(), panics);
        }
        assert!(recorder.lost().is_empty());
    }
}

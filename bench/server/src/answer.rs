//! Answers in chunks, each written with one call. With `--pieces` chunks are as small as those of servers that write an
//! object in several calls.

use std::io::Write;
use std::num::NonZeroUsize;

use anyhow::Result;
use bytes::Bytes;
use tokio::sync::mpsc;

/// Eight digits of length and a line end, to be filled in when the chunk is complete.
const HEAD: usize = 10;

/// How much is gathered before it is written.
const CHUNK: usize = 128 << 10;

/// Where an answer goes.
pub(crate) enum Wire<'a> {
    /// A connection that speaks HTTP/1.1.
    Http1(&'a mut dyn Write),
    /// A stream of a connection that speaks HTTP/2. Another thread writes to the connection.
    Http2(mpsc::Sender<Part>),
}

/// A part of an answer over HTTP/2; dropping the sender ends it.
pub(crate) enum Part {
    Head { status: u16, content_type: String },
    Data(Bytes),
}

/// An answer that has not begun.
pub(crate) struct Answer<'a> {
    wire: Wire<'a>,
    pieces: Option<NonZeroUsize>,
}

/// The body of an answer that has.
pub(crate) struct Body<'a> {
    wire: Wire<'a>,
    /// How large a chunk may be.
    pieces: Option<NonZeroUsize>,
    /// Begins with room for the length of the chunk.
    buffer: Vec<u8>,
}

impl<'a> Answer<'a> {
    /// In chunks of at most `pieces` bytes.
    pub(crate) fn new(wire: Wire<'a>, pieces: Option<NonZeroUsize>) -> Self {
        Self { wire, pieces }
    }

    /// In chunks of any size: the meters expect what they asked for in one.
    pub(crate) fn whole(self) -> Self {
        Self { pieces: None, ..self }
    }

    pub(crate) fn is_http2(&self) -> bool {
        matches!(self.wire, Wire::Http2(_))
    }

    pub(crate) fn ok(self, content_type: &str) -> Result<Body<'a>> {
        self.begin(200, "OK", content_type)
    }

    pub(crate) fn text(self, text: &str) -> Result<()> {
        let mut body = self.ok("application/json")?;
        body.buffer().extend_from_slice(text.as_bytes());
        body.end()
    }

    pub(crate) fn not_found(self) -> Result<()> {
        let status = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}"#;
        let mut body = self.begin(404, "Not Found", "application/json")?;
        body.buffer().extend_from_slice(status.as_bytes());
        body.end()
    }

    fn begin(mut self, status: u16, reason: &str, content_type: &str) -> Result<Body<'a>> {
        match &mut self.wire {
            Wire::Http1(stream) => {
                let head = format!("HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}");
                stream.write_all(format!("{head}\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes())?;
            }
            Wire::Http2(parts) => {
                parts.blocking_send(Part::Head { status, content_type: content_type.to_owned() })?;
            }
        }
        Ok(Body { wire: self.wire, pieces: self.pieces, buffer: vec![b'0'; HEAD] })
    }
}

impl Body<'_> {
    /// Where to append.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes what there is if it is enough.
    pub(crate) fn flush_if_full(&mut self) -> Result<()> {
        if self.buffer.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    /// Whether another thread has to get at the processor for what is flushed to be written.
    pub(crate) fn is_written_elsewhere(&self) -> bool {
        matches!(self.wire, Wire::Http2(_))
    }

    /// Writes what there is.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let length = self.buffer.len() - HEAD;
        if length == 0 {
            return Ok(());
        }
        match &mut self.wire {
            Wire::Http1(stream) => {
                if let Some(pieces) = self.pieces {
                    for piece in self.buffer[HEAD..].chunks(pieces.get()) {
                        let head = format!("{:x}\r\n", piece.len());
                        stream.write_all(&[head.as_bytes(), piece, b"\r\n"].concat())?;
                    }
                } else {
                    self.buffer[..HEAD].copy_from_slice(format!("{length:08x}\r\n").as_bytes());
                    self.buffer.extend_from_slice(b"\r\n");
                    stream.write_all(&self.buffer)?;
                }
            }
            Wire::Http2(parts) => {
                let all = Bytes::copy_from_slice(&self.buffer[HEAD..]);
                let most = self.pieces.map_or(length, NonZeroUsize::get);
                for start in (0..length).step_by(most) {
                    parts.blocking_send(Part::Data(all.slice(start..length.min(start + most))))?;
                }
            }
        }
        self.buffer.truncate(HEAD);
        Ok(())
    }

    /// Writes what there is, and the end.
    pub(crate) fn end(mut self) -> Result<()> {
        self.flush()?;
        if let Wire::Http1(stream) = self.wire {
            stream.write_all(b"0\r\n\r\n")?;
        }
        Ok(())
    }
}

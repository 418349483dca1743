//! Answers in chunks, each written with one call. With `--pieces` chunks are as small as those of servers that write an
//! object in several calls.

use std::io::Write as _;
use std::net::TcpStream;
use std::num::NonZeroUsize;

use anyhow::Result;

/// Eight digits of length and a line end, to be filled in when the chunk is complete.
const HEAD: usize = 10;

/// How much is gathered before it is written.
const CHUNK: usize = 128 << 10;

/// An answer that has not begun.
pub(crate) struct Answer<'a> {
    stream: &'a mut TcpStream,
    pieces: Option<NonZeroUsize>,
}

/// The body of an answer that has.
pub(crate) struct Body<'a> {
    stream: &'a mut TcpStream,
    /// How large a chunk may be.
    pieces: Option<NonZeroUsize>,
    buffer: Vec<u8>,
}

impl<'a> Answer<'a> {
    /// In chunks of at most `pieces` bytes.
    pub(crate) fn new(stream: &'a mut TcpStream, pieces: Option<NonZeroUsize>) -> Self {
        Self { stream, pieces }
    }

    pub(crate) fn ok(self, content_type: &str) -> Result<Body<'a>> {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n");
        self.stream.write_all(head.as_bytes())?;
        Ok(Body { stream: self.stream, pieces: self.pieces, buffer: vec![b'0'; HEAD] })
    }

    pub(crate) fn text(self, text: &str) -> Result<()> {
        let mut body = self.ok("application/json")?;
        body.buffer().extend_from_slice(text.as_bytes());
        body.end()
    }

    pub(crate) fn not_found(self) -> Result<()> {
        let status = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}"#;
        let head = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length";
        write!(self.stream, "{head}: {}\r\n\r\n{status}", status.len())?;
        Ok(())
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

    /// Writes what there is.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let length = self.buffer.len() - HEAD;
        if let Some(pieces) = self.pieces {
            for piece in self.buffer[HEAD..].chunks(pieces.get()) {
                let head = format!("{:x}\r\n", piece.len());
                self.stream.write_all(&[head.as_bytes(), piece, b"\r\n"].concat())?;
            }
            self.buffer.truncate(HEAD);
        } else if length > 0 {
            self.buffer[..HEAD].copy_from_slice(format!("{length:08x}\r\n").as_bytes());
            self.buffer.extend_from_slice(b"\r\n");
            self.stream.write_all(&self.buffer)?;
            self.buffer.truncate(HEAD);
        }
        Ok(())
    }

    /// Writes what there is, and the end.
    pub(crate) fn end(mut self) -> Result<()> {
        self.flush()?;
        self.stream.write_all(b"0\r\n\r\n")?;
        Ok(())
    }
}

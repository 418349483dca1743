//! Faults in the stream of a watch and in the bytes of any answer.

use std::collections::VecDeque;
use std::future::pending;
use std::io;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::unfold;
use http_body_util::BodyExt as _;

use super::armed::Strikes;
use super::effect::LineEffect;
use super::lines::{LineKind, Lines};
use crate::body::{Body, streamed};
use crate::status::ApiError;

/// What happens after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    GoOn,
    End,
    Stall,
    Cut,
}

/// Changes the lines of a watch.
trait Tamper: Send + 'static {
    /// Called before the first line.
    fn begin(&mut self, out: &mut VecDeque<Bytes>) -> After {
        let _ = out;
        After::GoOn
    }

    /// Puts into `out` what is sent for this line.
    fn line(&mut self, line: Bytes, out: &mut VecDeque<Bytes>) -> After;

    /// Called after the last line.
    fn end(&mut self, out: &mut VecDeque<Bytes>) {
        let _ = out;
    }
}

/// A watch with this effect.
pub(super) fn lines(body: Body, effect: LineEffect, strikes: Strikes) -> Body {
    tampered(body, OnEvents { effect, strikes, seen: 0, held: None })
}

/// A watch whose nth event is changed.
pub(super) fn nth_event(body: Body, n: u64, strikes: Strikes, change: fn(&[u8]) -> Bytes) -> Body {
    tampered(body, NthEvent { n, strikes, seen: 0, change })
}

fn tampered(body: Body, tamper: impl Tamper) -> Body {
    struct Tampered<T> {
        lines: Lines,
        tamper: T,
        out: VecDeque<Bytes>,
        after: Option<After>,
    }
    let state = Tampered { lines: Lines::of(body), tamper, out: VecDeque::new(), after: None };
    streamed(unfold(state, |mut state| async move {
        loop {
            if let Some(line) = state.out.pop_front() {
                return Some((Ok(line), state));
            }
            match state.after {
                None => state.after = Some(state.tamper.begin(&mut state.out)),
                Some(After::GoOn) => match state.lines.next().await {
                    Some(Ok(line)) => state.after = Some(state.tamper.line(line, &mut state.out)),
                    Some(Err(error)) => {
                        state.after = Some(After::End);
                        return Some((Err(error), state));
                    }
                    None => {
                        state.after = Some(After::End);
                        state.tamper.end(&mut state.out);
                    }
                },
                Some(After::End) => return None,
                Some(After::Stall) => pending().await,
                Some(After::Cut) => {
                    state.after = Some(After::End);
                    return Some((Err(cut().await), state));
                }
            }
        }
    }))
}

/// The error that breaks the connection. It yields first, so that hyper sends the bytes before it: if both are ready at
/// once, hyper drops the bytes.
async fn cut() -> io::Error {
    tokio::task::yield_now().await;
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection was cut")
}

struct OnEvents {
    effect: LineEffect,
    strikes: Strikes,
    /// How many ADDED, MODIFIED and DELETED events there have been.
    seen: u64,
    /// An event that is sent after the next line.
    held: Option<Bytes>,
}

impl OnEvents {
    /// What happens now that this many events have been sent.
    fn reached(&mut self, out: &mut VecDeque<Bytes>) -> After {
        let after = match &self.effect {
            LineEffect::ErrorAfter(events, error) if *events == self.seen => {
                out.push_back(error_event(error));
                After::End
            }
            LineEffect::CloseAfter(events) if *events == self.seen => After::End,
            LineEffect::StallAfter(events) if *events == self.seen => After::Stall,
            _ => return After::GoOn,
        };
        self.strikes.count();
        after
    }
}

impl Tamper for OnEvents {
    fn begin(&mut self, out: &mut VecDeque<Bytes>) -> After {
        self.reached(out)
    }

    fn line(&mut self, line: Bytes, out: &mut VecDeque<Bytes>) -> After {
        let kind = LineKind::of(&line);
        if kind != LineKind::Object {
            match (&self.effect, kind) {
                (LineEffect::DropEndBookmark, LineKind::EndBookmark) => self.strikes.count(),
                _ => out.push_back(line),
            }
            out.extend(self.held.take());
            return After::GoOn;
        }
        self.seen += 1;
        match self.effect {
            LineEffect::CutAfter(events) if self.seen > events => {
                self.strikes.count();
                out.push_back(line.slice(..line.len() / 2));
                return After::Cut;
            }
            LineEffect::Duplicate(n) if self.seen == n => {
                self.strikes.count();
                out.extend([line.clone(), line]);
            }
            LineEffect::Lose(n) if self.seen == n => self.strikes.count(),
            LineEffect::Reorder(n) if self.seen == n => {
                self.strikes.count();
                self.held = Some(line);
            }
            _ => {
                out.push_back(line);
                out.extend(self.held.take());
            }
        }
        self.reached(out)
    }

    fn end(&mut self, out: &mut VecDeque<Bytes>) {
        out.extend(self.held.take());
    }
}

struct NthEvent {
    n: u64,
    strikes: Strikes,
    seen: u64,
    change: fn(&[u8]) -> Bytes,
}

impl Tamper for NthEvent {
    fn line(&mut self, line: Bytes, out: &mut VecDeque<Bytes>) -> After {
        if LineKind::of(&line) == LineKind::Object {
            self.seen += 1;
            if self.seen == self.n {
                self.strikes.count();
                out.push_back((self.change)(&line));
                return After::GoOn;
            }
        }
        out.push_back(line);
        After::GoOn
    }
}

fn error_event(error: &ApiError) -> Bytes {
    format!("{{\"type\":\"ERROR\",\"object\":{}}}\n", error.to_json()).into()
}

/// A body that breaks off after this many bytes. The strike is counted only if the body is that long.
pub(super) fn cut_after_bytes(body: Body, bytes: u64, strikes: Strikes) -> Body {
    let state = (body.into_data_stream(), Some(bytes));
    streamed(unfold(state, move |(mut body, left)| {
        let strikes = strikes.clone();
        async move {
            let left = left?;
            if left == 0 {
                strikes.count();
                return Some((Err(cut().await), (body, None)));
            }
            let mut piece = match body.next().await? {
                Ok(piece) => piece,
                Err(error) => return Some((Err(error), (body, None))),
            };
            // A piece is never longer than a `usize`, so a larger number cuts nothing.
            piece.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            let left = left - piece.len() as u64;
            Some((Ok(piece), (body, Some(left))))
        }
    }))
}

#[cfg(test)]
mod tests;

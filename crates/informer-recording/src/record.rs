//! What a recording consists of, and how it is written: a line, then as many bytes as the line says, then a line break.
//!
//! `docs/recording.md` describes it for readers that are written elsewhere.

use std::time::Duration;

use bytes::Bytes;
use kube_informer::kind::KindInfo;
use serde::{Deserialize, Serialize};

/// Something that happened, to one request or to the recording as a whole.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The number of the request, from 1 on; 0 for the recording as a whole.
    pub(crate) exchange: u64,
    /// Since the recording began. Kept in whole microseconds.
    pub(crate) at: Duration,
    pub(crate) what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// The first record: when the recording was made.
    Began(Began),
    /// A request was sent.
    Request(RequestLine),
    /// The server answered.
    Answer(Head),
    /// Bytes of the body, without secrets. Events and items are never divided.
    Chunk(Bytes),
    /// Bytes of the body that could not be searched for secrets, so that nothing of them is kept.
    Hidden(Hidden),
    /// There was no answer, or the body broke off.
    Failed(String),
    /// The body is complete.
    End,
    /// Whoever sent the request did not want to hear the rest.
    Left,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Began {
    /// Milliseconds since 1970.
    pub(crate) unix_millis: u64,
}

/// A request, without its headers and its body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestLine {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// The form that the header `Accept` asks for, such as `Table`, if it is another one than the objects themselves.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<String>,
    /// The kind, where the one who asked knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<KindName>,
}

/// The form in which an object has its metadata only.
pub(crate) const METADATA: &str = "PartialObjectMetadata";

impl RequestLine {
    pub(crate) fn get(target: impl Into<String>, form: Option<&str>) -> Self {
        Self { method: "GET".to_owned(), target: target.into(), form: form.map(str::to_owned), kind: None }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KindName {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) namespaced: Option<bool>,
}

impl From<&KindInfo> for KindName {
    fn from(kind: &KindInfo) -> Self {
        Self {
            group: kind.group().to_owned(),
            version: kind.version().to_owned(),
            kind: kind.kind().to_owned(),
            plural: kind.plural().to_owned(),
            namespaced: kind.is_namespaced(),
        }
    }
}

impl From<&KindName> for KindInfo {
    fn from(name: &KindName) -> Self {
        let kind = Self::new(&*name.group, &*name.version, &*name.kind, &*name.plural);
        match name.namespaced {
            Some(namespaced) => kind.namespaced(namespaced),
            None => kind,
        }
    }
}

/// The beginning of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    pub(crate) status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content_type: Option<String>,
    /// The header `Retry-After`, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<u64>,
}

/// How much is not kept, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hidden {
    pub(crate) bytes: u64,
    pub(crate) why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Why {
    /// The body ended in the middle of a document.
    Cut,
    /// It is not JSON.
    NotJson,
    /// One document is larger than can be looked through.
    TooLarge,
}

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadRecord(String);

impl Record {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let json = |value: Result<Vec<u8>, serde_json::Error>| Bytes::from(value.unwrap_or_default());
        let (word, payload) = match &self.what {
            What::Began(began) => ("began", json(serde_json::to_vec(began))),
            What::Request(line) => ("request", json(serde_json::to_vec(line))),
            What::Answer(head) => ("answer", json(serde_json::to_vec(head))),
            What::Chunk(bytes) => ("chunk", bytes.clone()),
            What::Hidden(hidden) => ("hidden", json(serde_json::to_vec(hidden))),
            What::Failed(text) => ("failed", Bytes::copy_from_slice(text.as_bytes())),
            What::End => ("end", Bytes::new()),
            What::Left => ("left", Bytes::new()),
        };
        let line = format!("{word} {} {} {}\n", self.exchange, self.at.as_micros(), payload.len());
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(&payload);
        out.push(b'\n');
    }

    /// Reads the first record and removes it from the bytes.
    pub(crate) fn read(from: &mut Bytes) -> Result<Self, BadRecord> {
        let end = from.iter().position(|byte| *byte == b'\n').ok_or_else(|| bad("a line without an end"))?;
        let line = from.split_to(end + 1);
        let line = std::str::from_utf8(&line[..end]).map_err(|_| bad("a line that is not text"))?;
        let fields: Vec<&str> = line.split(' ').collect();
        let &[word, exchange, at, length] = fields.as_slice() else {
            return Err(bad("a line that does not have four fields"));
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| bad("a field that is not a number"));
        let (exchange, at) = (number(exchange)?, Duration::from_micros(number(at)?));
        let length = usize::try_from(number(length)?).map_err(|_| bad("a length that is too large"))?;
        if from.len() <= length || from[length] != b'\n' {
            return Err(bad("a record that does not end where it says"));
        }
        let payload = from.split_to(length);
        let _line_break = from.split_to(1);
        Ok(Self { exchange, at, what: What::read(word, payload)? })
    }
}

impl What {
    fn read(word: &str, payload: Bytes) -> Result<Self, BadRecord> {
        fn json<T: for<'a> Deserialize<'a>>(payload: &[u8]) -> Result<T, BadRecord> {
            serde_json::from_slice(payload).map_err(|error| bad(&format!("unexpected contents: {error}")))
        }
        Ok(match word {
            "began" => Self::Began(json(&payload)?),
            "request" => Self::Request(json(&payload)?),
            "answer" => Self::Answer(json(&payload)?),
            "chunk" => Self::Chunk(payload),
            "hidden" => Self::Hidden(json(&payload)?),
            "failed" => Self::Failed(String::from_utf8_lossy(&payload).into_owned()),
            "end" => Self::End,
            "left" => Self::Left,
            _ => return Err(bad("a kind of record that is not known")),
        })
    }
}

fn bad(what: &str) -> BadRecord {
    BadRecord(what.to_owned())
}

#[cfg(test)]
mod tests;

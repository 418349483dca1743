//! A request and what became of it, as it was recorded.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use informer_wire::selector::FieldSelector;
use kube_informer::kind::KindInfo;
use serde_json::Value;

use crate::record::{Head, Hidden, METADATA, Record, RequestLine, What, Why};
use crate::target::{Resource, Target, decoded};

/// No more than this stands in the place of what was hidden: nothing can be read from it, however long it is.
const LONGEST_STAND_IN: usize = 64 << 10;

/// A document that does not end.
static CUT: [u8; LONGEST_STAND_IN] = beginning_with(b"{", b' ');

static NOT_JSON: [u8; LONGEST_STAND_IN] = beginning_with(b"", b'x');

/// A document that is there and says nothing.
static TOO_LARGE: [u8; LONGEST_STAND_IN] = beginning_with(b"{}", b' ');

const fn beginning_with(begins: &[u8], goes_on: u8) -> [u8; LONGEST_STAND_IN] {
    let mut bytes = [goes_on; LONGEST_STAND_IN];
    let (first, _) = bytes.split_at_mut(begins.len());
    first.copy_from_slice(begins);
    bytes
}

#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) line: RequestLine,
    pub(crate) target: Target,
    /// When the request was sent.
    pub(crate) at: Duration,
    pub(crate) steps: Vec<Step>,
}

/// Something that happened to a request, and when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) what: Happened,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Happened {
    Answer(Head),
    Chunk(Bytes),
    Failed(String),
    End,
    Left,
}

impl Exchange {
    /// Puts together what belongs to each request, in the order in which they were sent.
    pub(crate) fn all(records: Vec<Record>) -> Vec<Self> {
        let mut exchanges: Vec<Self> = Vec::new();
        let mut places = HashMap::new();
        for Record { exchange, at, what } in records {
            let what = match what {
                What::Began(_) => continue,
                What::Request(line) => {
                    places.insert(exchange, exchanges.len());
                    let target = Target::parse(&line.target);
                    exchanges.push(Self { line, target, at, steps: Vec::new() });
                    continue;
                }
                What::Answer(head) => Happened::Answer(head),
                What::Chunk(bytes) => Happened::Chunk(bytes),
                What::Hidden(hidden) => Happened::Chunk(stand_in(hidden)),
                What::Failed(text) => Happened::Failed(text),
                What::End => Happened::End,
                What::Left => Happened::Left,
            };
            if let Some(place) = places.get(&exchange) {
                exchanges[*place].steps.push(Step { at, what });
            }
        }
        exchanges
    }

    /// Whether it is a list or a watch of a kind, and not a question about one object, which an informer asks now and then.
    pub(crate) fn is_of_objects(&self) -> bool {
        self.is_list_or_watch() && !self.is_question()
    }

    /// Whether it is a list of the objects of one name. An informer of one object begins with such a list where lists are not
    /// streamed.
    pub(crate) fn is_question(&self) -> bool {
        let of_one = self.target.parameter("fieldSelector").is_some_and(|fields| is_of_one(&decoded(fields)));
        of_one && !self.target.is_watch() && self.is_list_or_watch()
    }

    fn is_list_or_watch(&self) -> bool {
        self.line.method == "GET"
            && self.line.form.as_ref().is_none_or(|form| form == METADATA)
            && Resource::of(&self.target.path).is_some_and(|resource| resource.is_collection)
    }

    /// Whether the server did what it was asked for.
    pub(crate) fn is_answered(&self) -> bool {
        let answer = self.steps.iter().find_map(|step| match &step.what {
            Happened::Answer(head) => Some(head.status),
            _ => None,
        });
        answer == Some(200)
    }

    /// The parts of the body, and when each came.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = (Duration, &Bytes)> {
        self.steps.iter().filter_map(|step| match &step.what {
            Happened::Chunk(bytes) => Some((step.at, bytes)),
            _ => None,
        })
    }

    /// When its body ended or broke, or whoever read it went away.
    pub(crate) fn ended(&self) -> Option<Duration> {
        let last = self.steps.last()?;
        matches!(last.what, Happened::End | Happened::Failed(_) | Happened::Left).then_some(last.at)
    }

    /// The kind of its objects: as the one who asked called it, or else as the answer does.
    pub(crate) fn kind(&self) -> Option<KindInfo> {
        if let Some(kind) = &self.line.kind {
            return Some(kind.into());
        }
        let resource = Resource::of(&self.target.path).filter(|resource| resource.is_collection)?;
        let kind = self.kind_of_answer().unwrap_or_default();
        let info = KindInfo::new(resource.group, resource.version, kind, resource.plural);
        Some(match resource.namespace {
            Some(_) => info.namespaced(true),
            None => info,
        })
    }

    fn kind_of_answer(&self) -> Option<String> {
        let (_, first) = self.chunks().next()?;
        let document: Value = serde_json::Deserializer::from_slice(first).into_iter().next()?.ok()?;
        let of_event = document["object"]["kind"].as_str();
        let of_list = document["kind"].as_str().and_then(|kind| kind.strip_suffix("List"));
        let kind = of_event.or(of_list)?;
        (!kind.is_empty() && kind != "Status" && kind != "Table" && !kind.starts_with("PartialObject"))
            .then(|| kind.to_owned())
    }
}

/// Whether a field selector is for the objects of one name. `metadata.namespace` is another field, and `metadata.name!=a` is for
/// nearly all objects.
fn is_of_one(fields: &str) -> bool {
    FieldSelector::parse(fields).is_ok_and(|fields| fields.name().is_some())
}

/// Something that has the same effect on a reader as what was there. It takes no memory: a file may say thousands of times in
/// a few bytes that something was hidden.
fn stand_in(hidden: Hidden) -> Bytes {
    let (bytes, shortest) = match hidden.why {
        Why::Cut => (&CUT, 1),
        Why::NotJson => (&NOT_JSON, 0),
        Why::TooLarge => (&TOO_LARGE, 2),
    };
    let length = usize::try_from(hidden.bytes).unwrap_or(usize::MAX);
    Bytes::from_static(&bytes[..length.clamp(shortest, LONGEST_STAND_IN)])
}

#[cfg(test)]
mod tests;

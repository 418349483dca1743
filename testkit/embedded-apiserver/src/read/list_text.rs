//! The JSON of a list, written piece by piece.

use std::vec;

use bytes::Bytes;
use futures::stream;
use serde_json::json;
use tokio::task::coop::consume_budget;

use super::Envelope;
use crate::body::{Body, full, streamed};
use crate::kinds::Resource;
use crate::request::Form;
use crate::storage::Stored;

/// About how many bytes a piece has.
const PIECE: usize = 64 << 10;

/// The JSON of a list, written piece by piece, so that it is never in memory as a whole.
#[derive(Debug)]
pub(crate) struct ListText {
    items: vec::IntoIter<Stored>,
    envelope: Envelope,
    head: Vec<u8>,
    tail: Vec<u8>,
    begun: bool,
    ended: bool,
}

/// The metadata of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListMetadata {
    pub(crate) version: u64,
    /// The `continue` token; empty on the last page.
    pub(crate) token: String,
    pub(crate) remaining: Option<usize>,
}

impl ListText {
    pub(crate) fn new(resource: &Resource, form: Form, metadata: &ListMetadata, items: Vec<Stored>) -> Self {
        let version = metadata.version;
        let remaining = metadata.remaining.map(|count| format!(r#","remainingItemCount":{count}"#));
        let remaining = remaining.unwrap_or_default();
        let token = json!(metadata.token);
        let (head, tail) = if form == Form::Whole && resource.custom {
            // The real server writes these as an unstructured map: keys in alphabetical order, `continue` even if it is empty.
            let kind = &resource.list_kind;
            let api_version = resource.api_version();
            let head = format!(r#"{{"apiVersion":"{api_version}","items":["#);
            let metadata = format!(r#"{{"continue":{token}{remaining},"resourceVersion":"{version}"}}"#);
            (head, format!("],\"kind\":\"{kind}\",\"metadata\":{metadata}}}\n"))
        } else {
            let (kind, api_version) = match form {
                Form::Whole => (&*resource.list_kind, resource.api_version()),
                Form::Metadata => ("PartialObjectMetadataList", "meta.k8s.io/v1".to_owned()),
            };
            let token =
                if metadata.token.is_empty() { String::new() } else { format!(r#","continue":{token}"#) };
            let metadata = format!(r#"{{"resourceVersion":"{version}"{token}{remaining}}}"#);
            let kind = format!(r#""kind":"{kind}","apiVersion":"{api_version}""#);
            (format!(r#"{{{kind},"metadata":{metadata},"items":["#), "]}\n".to_owned())
        };
        Self {
            items: items.into_iter(),
            envelope: Envelope::of_items(resource, form),
            head: head.into_bytes(),
            tail: tail.into_bytes(),
            begun: false,
            ended: false,
        }
    }

    /// The list as a body; one that fits into a piece is sent at once.
    pub(crate) fn into_body(mut self) -> Body {
        let first = self.next().unwrap_or_default();
        if self.ended {
            full(first)
        } else {
            streamed(stream::unfold((Some(first), self), async |(first, mut rest)| {
                // A client that always takes the next piece at once must not keep other tasks from running.
                consume_budget().await;
                let piece = first.or_else(|| rest.next())?;
                Some((Ok(piece), (None, rest)))
            }))
        }
    }
}

impl Iterator for ListText {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        let mut piece = std::mem::take(&mut self.head);
        while piece.len() < PIECE {
            let Some(item) = self.items.next() else {
                piece.append(&mut self.tail);
                self.ended = true;
                break;
            };
            if std::mem::replace(&mut self.begun, true) {
                piece.push(b',');
            }
            self.envelope.write(&item, &mut piece);
        }
        Some(piece.into())
    }
}
